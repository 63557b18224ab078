// Browsers do not let a page that was opened as a file read others: the search then lists titles without excerpts.
if (window.location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
