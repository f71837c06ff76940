-- Under row-level security no condition but a leakproof one may use an index. So what a call is named by has a column of
-- its own, to be compared as it is; and whom a call may mean is asked as words are: by the role that searches, see 0004.

ALTER TABLE graph_open_call
    ADD COLUMN tail text COLLATE "C" GENERATED ALWAYS AS (split_part(data->>'name', '.', -1)) STORED;

CREATE INDEX graph_open_call_tail ON graph_open_call (graph_key, tail);

CREATE FUNCTION pckc_named() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT nullif(current_setting('pckc.named', true), '')::text[] $$;

CREATE POLICY named ON graph_open_call AS RESTRICTIVE FOR SELECT TO pckc_search USING (candidates && pckc_named());
