-- Places of repository facts: a file on a branch and the name it sets; the facts are assertions of the place's slot.

CREATE TABLE fact_place (
    scope_key bigint NOT NULL REFERENCES scope (key),
    tenant text COLLATE "C" NOT NULL DEFAULT pckc_tenant(),
    slot text COLLATE "C" NOT NULL,
    owner_id text COLLATE "C" NOT NULL,
    branch text COLLATE "C" NOT NULL, -- empty for the mainline
    path text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL, -- the slot of claims that speak of it by its full name
    tail text COLLATE "C" NOT NULL, -- the slot of claims that leave out its section, empty when there is none
    is_live boolean NOT NULL,
    joined text COLLATE "C" NOT NULL, -- the slot whose claims it is settled with, empty while it stands alone
    PRIMARY KEY (scope_key, slot)
);

CREATE INDEX fact_place_owner ON fact_place (scope_key, owner_id);
CREATE INDEX fact_place_path ON fact_place (scope_key, path);
CREATE INDEX fact_place_topic ON fact_place (scope_key, topic);
CREATE INDEX fact_place_tail ON fact_place (scope_key, tail) WHERE tail <> '';
CREATE INDEX fact_place_joined ON fact_place (scope_key, joined) WHERE joined <> '';

ALTER TABLE fact_place ENABLE ROW LEVEL SECURITY;
ALTER TABLE fact_place FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON fact_place USING (tenant = pckc_tenant()) WITH CHECK (tenant = pckc_tenant());
