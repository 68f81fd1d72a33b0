"""Golden sets: questions with their expected results, and the runner that asks them.

A set is a file of cases (`shape`, `reading`); some come with the program (`shipped`). Each case is
asked turn by turn (`asking`, `client`), its replies are compared with the expectations (`scoring`),
and the results can be compared with those of an earlier run (`comparing`) or given to a CI server
(`junit`). `scripted` runs a set without a model, and `replayed` judges what a
set has the model say without any server. `export` writes labelled requests as a set.
"""
