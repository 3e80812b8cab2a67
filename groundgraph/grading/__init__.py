"""Grade what was found: relevance, sentences worth keeping, support of an answer, answers by quotation."""
