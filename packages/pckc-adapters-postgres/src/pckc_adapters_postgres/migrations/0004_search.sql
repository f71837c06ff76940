-- Row-level security tests the tenant before anything that a query asks, and so keeps a query from using an index of words
-- (its operator is not leakproof). What a policy asks first may use one: the role that searches sees the rows alone that
-- `pckc.words` matches, found by the index, and of those its tenant's.

CREATE FUNCTION pckc_words() RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT current_setting('pckc.words', true)::tsquery $$;

CREATE POLICY words ON passage AS RESTRICTIVE FOR SELECT TO pckc_search USING (words @@ pckc_words());
CREATE POLICY words ON evidence AS RESTRICTIVE FOR SELECT TO pckc_search USING (words @@ pckc_words());
CREATE POLICY words ON claim AS RESTRICTIVE FOR SELECT TO pckc_search USING (words @@ pckc_words());
CREATE POLICY words ON graph_node AS RESTRICTIVE FOR SELECT TO pckc_search USING (words @@ pckc_words());
