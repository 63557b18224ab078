// Pages that answer a question come before pages of single functions; parts of names ("ari" in "variance") come last.
var Scorer = {
  score: ([page, , , , score]) =>
    score + (page === "reference/other-names" ? 4 : page.startsWith("how-to/") ? 2 : 0),
  objNameMatch: 11,
  objPartialMatch: 1,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
