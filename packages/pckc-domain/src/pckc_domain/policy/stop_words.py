"""Words that carry no topic: dropped from prose questions, kept in code questions."""

ENGLISH = frozenset(
    """
    a about above after again all also am an and any are aren as at be because been before being below between both but
    by can cannot could couldn d did didn do does doesn doing don down during each few for from further had hadn has
    hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just ll m me
    more most my myself no nor not now of off on once only or other our ours ourselves out over own please re s same
    say she should shouldn so some such t tell than that the their theirs them themselves then there these they this
    those through to too under until up us ve very was wasn we were weren what when where which while who whom whose
    why will with without won would wouldn you your yours yourself yourselves
    """.split()
)

RUSSIAN = frozenset(
    """
    а без более будет будут бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до
    его ее ему если есть еще ещё ею её же за зачем здесь и из или им ими их к как какая какие каким каких какого
    какой каком какому какую кем ко когда кого кому которая которые который кто куда ли либо меня мне мной может мы
    на над надо нам нами нас наш наша наше нашего нашей нашем нашему наши наших нашу не него нее ней нет неё ни них
    но ну о об однако он она они оно от откуда отчего очень по под почему при про с свое своих свой свою своя своё
    себя скажи сколько со так также такой там те тебя тем то тобой того тоже той только том ты у уже хотя чего чей
    чем что чтобы чье чья чём эта эти это этого этой этом этот я
    """.split()
)

STOP_WORDS = ENGLISH | RUSSIAN
