"""Labels and names that are text, whatever is in them."""

ODD_LABELS = [
    "<b>&amp;</b><script>alert(1)</script>",
    'it\'s "quoted" \\ {braces} %s',
    "a\nb\tc\x1b[31m\x00",
    "👩‍🔬 émoji",
    "שלום عالم",
    "\u202eright to left\u202c",
    "long" * 2500,
    "",
    " ",
]
