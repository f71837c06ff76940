-- Places of repository facts: a file on a branch and the name it sets; the facts are assertions of the place's slot.

CREATE TABLE fact_place (
    scope_key INTEGER NOT NULL REFERENCES scope (key),
    slot TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    branch TEXT NOT NULL, -- empty for the mainline
    path TEXT NOT NULL,
    topic TEXT NOT NULL, -- the slot of claims that speak of it by its full name
    tail TEXT NOT NULL, -- the slot of claims that leave out its section, empty when there is none
    is_live INTEGER NOT NULL,
    joined TEXT NOT NULL, -- the slot whose claims it is settled with, empty while it stands alone
    PRIMARY KEY (scope_key, slot)
) WITHOUT ROWID;

CREATE INDEX fact_place_owner ON fact_place (scope_key, owner_id);
CREATE INDEX fact_place_path ON fact_place (scope_key, path);
CREATE INDEX fact_place_topic ON fact_place (scope_key, topic);
CREATE INDEX fact_place_tail ON fact_place (scope_key, tail) WHERE tail <> '';
CREATE INDEX fact_place_joined ON fact_place (scope_key, joined) WHERE joined <> '';

-- A slot is named by its topic now, without the branch: sessions are derived again by the next import.
UPDATE session SET is_underived = 1;
