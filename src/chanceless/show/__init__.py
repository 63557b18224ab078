"""Show results: one `View` of tables and notes, written as text, HTML, Markdown or terminal lines."""
