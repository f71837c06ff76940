"""
Words the claim rules know: attributes, values of a known kind, relatives, and their Russian forms.

A table entry is a promise that two values of one kind exclude each other for one subject (a service has one database),
so a name stands here only when that is sound. Redis, for one, may be a cache beside another cache.
"""

# ruff: noqa: E501  # patterns and word lists read best on one line

ATTRIBUTES = {
    word: words[0]
    for line in """
        port порт
        timeout таймаут
        version версия
        host hostname хост
        url урл
        address адрес
        ttl
        limit лимит
        name имя название
        branch ветка
        region регион
        deadline дедлайн срок
        owner владелец
        email e-mail почта
        size размер
        path путь
        interval интервал
        threshold порог
        retries
        budget бюджет
        price цена
        database db бд
        license licence лицензия
        birthday
        colour color цвет
        age возраст
        language язык
        framework фреймворк
        endpoint эндпоинт
        namespace
        bucket бакет
        domain домен
        capacity
        delay задержка
        format формат
        encoding кодировка
        timezone
        currency валюта
        channel канал
        hometown
        job
        occupation профессия
        salary зарплата
        nickname
        title
        rate
        quota квота
        schema
        prefix префикс
        model модель
        compiler
        backend
    """.strip().splitlines()
    for words in [line.split()]
    for word in words
}
"""Nouns that name one value of a subject, to their canonical form."""

NAMED = frozenset("level lead header orm уровень тимлид заголовок".split())
"""Nouns that have a name or a mark in capitals as their value, though they are no attribute of what stands before them."""

GENERAL = frozenset("default max maximum min minimum main base total primary current new only common".split())
"""Adjectives that cannot be a subject alone: `default branch` is a subject, not the branch of `default`."""

ALIASES = {
    "postgres": "postgresql",
    "постгрес": "postgresql",
    "mongo": "mongodb",
    "js": "javascript",
    "ts": "typescript",
    "golang": "go",
    "k8s": "kubernetes",
    "rabbit": "rabbitmq",
    "elastic": "elasticsearch",
    "lifetime": "ttl",
    "expiry": "ttl",
    "expiration": "ttl",
    "дата": "date",
    "редис": "redis",
    "кафка": "kafka",
    "питон": "python",
    "докер": "docker",
}
"""Other names of the same thing."""

KINDS = {
    name: kind
    for kind, names in {
        "database": "postgresql|mysql|mariadb|sqlite|mongodb|cockroachdb|dynamodb|cassandra|oracle|firestore",
        "message queue": "rabbitmq|kafka|nats|sqs|activemq|pulsar",
        "node package manager": "npm|yarn|pnpm",
        "python package manager": "pip|poetry|uv|pipenv|conda|pdm",
        "python test framework": "pytest|unittest|nose",
        "javascript test framework": "jest|vitest|mocha|jasmine",
        "python web framework": "fastapi|flask|django|starlette|tornado|sanic",
        "frontend framework": "react|vue|svelte|angular|solid",
        "bundler": "webpack|vite|rollup|esbuild|parcel",
        "ci": "github actions|gitlab ci|jenkins|circleci|travis ci|buildkite",
        "indentation": "tabs|spaces|2 spaces|4 spaces|табы|пробелы",
        "python formatter": "black|yapf|autopep8|ruff format",
        "search engine": "elasticsearch|opensearch|meilisearch|typesense|solr|algolia",
        "letter case": "camelcase|snake_case|kebab-case|pascalcase|camel case|snake case|kebab case|pascal case",
        "theme": "dark mode|light mode|dark theme|light theme|тёмная тема|тёмную тему|светлая тема|светлую тему",
        "seat": "window seats|aisle seats|window seat|aisle seat|место у окна|места у окна|место у прохода|места у прохода",
        "answer length": "short answers|concise answers|brief answers|long answers|detailed answers|короткие ответы"
        "|краткие ответы|подробные ответы|развёрнутые ответы",
        "cloud": "aws|gcp|azure|hetzner|digitalocean",
        "diet": "vegetarian|vegan|pescatarian|omnivore|вегетарианец|вегетарианка|веган|веганка",
    }.items()
    for name in names.split("|")
}
"""Values of a known kind; one subject has one value of a kind."""

ALSO_OF_KIND = {"ruff": "python formatter"}
"""Things of several kinds, to the kind that their purpose may name: `ruff for formatting` is one, `for linting` is not."""

PLATFORMS = frozenset(
    """
    python node node.js nodejs java jdk openjdk php ruby go rust c++ dotnet .net kotlin swift scala elixir erlang perl
    typescript javascript next.js nextjs nuxt svelte rails laravel spring tailwind bootstrap eslint pydantic sqlalchemy
    numpy pandas bun deno terraform kubernetes docker debian ubuntu alpine fedora gradle maven redis valkey gcc clang
    android ios macos windows
    """.split()
)
"""What is used in one version at a time, so that a number behind its name is that version."""

STORES = frozenset(
    """
    redis valkey memcached s3 minio gcs r2 etcd consul vault duckdb leveldb rocksdb lmdb clickhouse bigquery snowflake
    localstorage sessionstorage indexeddb keychain neo4j influxdb timescaledb couchdb couchbase scylladb supabase
    """.split()
)
"""Places for data that are no database, or not only that."""

KIND_NAMES = {
    "database": "database|db|storage|data storage|persistence|база|база данных|бд",
    "message queue": "message queue|queue|queueing|messaging|очередь|очередь сообщений|брокер сообщений",
    "node package manager": "package manager|packages|dependencies|менеджер пакетов|пакеты|пакетов|зависимостей",
    "python package manager": "package manager|packages|dependencies|менеджер пакетов|пакеты|пакетов|зависимостей",
    "python test framework": "test framework|testing framework|test runner|tests|testing|unit tests|тесты|тестов|тестирования",
    "javascript test framework": "test framework|testing framework|test runner|tests|testing|unit tests|тесты|тестов",
    "python web framework": "web framework|framework|backend framework|backend|бэкенд|бекенд|фреймворк",
    "frontend framework": "frontend|frontend framework|ui|the ui|ui framework|фронтенд|фронтенда",
    "bundler": "bundler|bundling|builds|сборка|сборки",
    "ci": "ci|ci/cd|continuous integration",
    "indentation": "indentation|indent|indents|отступы|отступов",
    "python formatter": "formatter|formatting|code formatting|code formatter|formatting code|форматирования|форматирования кода",
    "theme": "theme|тема",
    "answer length": "answers|replies",
    "cloud": "cloud|hosting|хостинг|хостинга",
    "search engine": "search|search engine|full-text search|search backend|поиск|полнотекстовый поиск",
}
"""Ways to name a kind itself: `we use pytest for tests` says no more than `we use pytest`."""

COUNTERPARTS = {
    "job": "task задач задача задание заданий",
    "event": "события событий",
    "order": "заказы заказов",
    "user": "пользователи пользователей",
    "customer": "client клиенты клиентов",
    "payment": "платежи платежей",
    "billing": "биллинг биллинга",
    "session": "сессии сессий",
    "notification": "уведомления уведомлений",
    "mail": "email почта почты письма писем",
    "product": "товары товаров продукты продуктов",
    "log": "логи логов",
    "metric": "метрики метрик",
    "analytics": "аналитика аналитики",
    "report": "отчёты отчётов",
    "test": "тестовая тестовый тестов",
}
"""What databases, queues and the like are of, to other words for it: the same qualifier in both languages."""

RELATIVES = {
    form: english
    for english, forms in {
        "sister": "sister сестра сестру сестры сестре",
        "brother": "brother брат брата брату",
        "mother": "mother mom mum мама маму мамы маме мать",
        "father": "father dad папа папу папы отец отца",
        "wife": "wife жена жену жены жене",
        "husband": "husband муж мужа мужу",
        "son": "son сын сына сыну",
        "daughter": "daughter дочь дочку дочка дочери",
        "dog": "dog собака собаку собаки пёс пса",
        "cat": "cat кот кота кошка кошку кошки",
        "partner": "partner",
        "girlfriend": "girlfriend девушка девушку девушки",
        "boyfriend": "boyfriend парень парня",
        "boss": "boss manager начальник начальника",
        "friend": "friend друг друга подруга подругу",
        "roommate": "roommate",
        "grandmother": "grandmother grandma бабушка бабушку бабушки",
        "grandfather": "grandfather grandpa дедушка дедушку дедушки",
        "neighbour": "neighbour neighbor сосед соседа",
        "cousin": "cousin",
        "aunt": "aunt тётя тётю",
        "uncle": "uncle дядя дядю",
        "niece": "niece",
        "nephew": "nephew",
        "teacher": "teacher учитель учителя",
        "doctor": "doctor врач врача",
        "daughter-in-law": "daughter-in-law",
        "mother-in-law": "mother-in-law",
        "company": "company",
        "car": "car",
        "team": "team",
        "puppy": "puppy",
    }.items()
    for form in forms.split()
}
"""Persons and things that belong to a speaker, in any case, to English."""

COUNTABLE_RELATIVES = frozenset(RELATIVES.values()) - frozenset(
    "mother father wife husband partner girlfriend boyfriend boss company".split()
)
"""Of these one may have several."""

OCCUPATIONS = frozenset(
    """
    developer engineer programmer teacher nurse doctor student designer lawyer accountant architect writer chef
    manager analyst consultant researcher scientist journalist photographer musician pilot electrician plumber
    carpenter mechanic dentist veterinarian psychologist counselor therapist translator librarian tester admin
    """.split()
)

ORDINARY_SUBJECT_STOPS = frozenset(
    """
    i you he she it we they this that these those there here what which who whom whose when where why how if because
    and or but not never neither nor cannot hardly scarcely barely is are was were be been am do does did has have had will would can could should may might must
    said says say think thinks thought know knows something anything everything nothing someone anyone everyone one
    me him her us them so then than as to only also just
    most some many several few both none all every each any another following other such use uses using
    my mine his their whose
    once otherwise whenever unless until while
    de het der die das el la le les il lo os um een ein eine une un den det mijn jouw onze mein meine dein mi mis tu su mon
    ma mes notre votre meu minha mio mia min mitt del della delle dello du des dos
    я ты он она оно мы вы они это этот эта эти тот та те то что который которая которые кто когда где почему как если
    и или но не нет ни никогда вовсе а потому был была было были есть будет всё все что-то там тут здесь меня тебя его её их нас вас мне так
    мой моя моё мое мои мою моего моей моих твой твоя твоё ваш ваша ваше свой своя
    """.split()
)
"""A phrase that holds one of these is no plain subject; foreign articles keep other languages out."""
