"""Small words that mark a sentence in languages written with Latin letters.

English first, then the commonest of German, French, Spanish, Portuguese, Italian, Indonesian and
Vietnamese. A list of product names has none of them.

Source: our own list. Licence: the project's own.
"""

_LIST = """
a an the this that these those is are was were be been am do does did has have had will would can
could shall should may might must not no of to in on at by for from with without about into as if
when while because before after until than then or and but so it its you your we our they their he
she his her i my me us them there here please what which who how where why only also
der die das den dem ein eine und ist sind nicht mit von zu für auf im sie werden kann wird
le la les un une des du et est sont ne pas pour dans sur avec vous nous que qui ce cette il elle
el los las y es son no para con por se su del una uno como más esta este
o os as um uma e é são não para com por seu sua do da dos das
il lo gli di è sono non per che
yang dan untuk dengan adalah dari ini itu di ke tidak akan pada dapat anda
và của là không cho các được trong với một những này
"""

LATIN_FUNCTION_WORDS = frozenset(_LIST.split())
