"""English function words: they carry a sentence's grammar, so no augmenter replaces them or puts them in.

Our own list. It holds the closed classes (articles, pronouns, prepositions, conjunctions, auxiliaries, question words)
and the few adverbs and number words that WordNet would turn into nonsense ("may" the hawthorn, "in" the inch).
"""

STOP_WORDS: frozenset[str] = frozenset(
    """
    a an the this that these those such same other another each every either neither both all any some no none
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves one ones someone anyone everyone nobody somebody
    anybody everybody something anything everything nothing who whom whose which what when where why how whatever
    whoever whenever wherever however
    am is are was were be been being do does did done doing have has had having can could may might must shall
    should will would ought need let lets get gets got
    about above across after against along among amid around as at before behind below beneath beside besides
    between beyond by despite down during except for from in inside into like near of off on onto out outside over
    past per since than through throughout till to toward towards under until unto up upon via versus vs with
    within without
    and but or nor so yet if unless because while whereas whether though although once then thus hence therefore
    not never ever also too very just only even still again already always often here there now more most less
    least much many few several own quite rather almost perhaps maybe else instead
    zero two three four five six seven eight nine ten first second third last next
    mr mrs ms dr st etc eg ie et al
    """.split()  # noqa: SIM905 - a list of words reads better as words
)

_COARSE = frozenset(
    """
    arse ass bastard bitch boob boobs cock crap cunt dick fag fuck hump jap knocker negro nigger piss prick pussy queer
    screw shit slut tit tits whore
    """.split()  # noqa: SIM905
)
# WordNet lists them as synonyms of harmless words ("breast"); nobody wants them in a text that we wrote.
NEVER_PUT_IN: frozenset[str] = STOP_WORDS | _COARSE
