"""One function for each score, named as in scikit-learn: labels, a table or a spectrum in, a float out."""
