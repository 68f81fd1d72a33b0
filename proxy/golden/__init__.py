"""Golden sets: questions with their expected results, and the runner that asks them.

A set is a file of cases (`shape`, `loading`); some come with the program. `runner` asks each case
turn by turn (`client`) and scores its replies. `results` compares runs and writes them for CI
servers.
"""
