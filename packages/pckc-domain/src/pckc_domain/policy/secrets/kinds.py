"""
The kinds of secrets that are recognised by their own shape, a published prefix, as data.

Earlier rows are more specific and win where spans overlap. The last named group of a pattern to match is the
secret; without one, the whole match is. Open-ended bodies stop at 512 characters, so that a text cannot make
matching slow; the engine takes the rest of a longer key along.
"""

import binascii
import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from pckc_domain.policy.secrets.values import is_placeholder, is_wordy

_NAME_START = re.compile(r"[\w:+.-]*$")


class Candidate(NamedTuple):  # tuples: hooks redact too, and importing attrs takes them longer than all the rest
    """One match of a kind's pattern, to be judged."""

    text: str
    searched: str
    """The text the pattern was run on: *text* itself or its lower-cased copy."""
    match: re.Match[str]

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the secret."""
        return self.match.span(self.match.lastgroup or 0)

    @property
    def secret(self) -> str:
        """The secret as written."""
        start, end = self.span
        return self.text[start:end]

    @property
    def quoted(self) -> bool:
        """Whether the secret stands in quotes."""
        return self.match.lastgroup != "bare"

    @property
    def name(self) -> str:
        """The lower-cased name before the secret with what joins them: `--db-password=`, `postgres://me:`."""
        start = self.match.start()
        before = _NAME_START.search(self.searched[max(0, start - 40) : start])
        return (before[0] if before else "") + self.match[0][: self.span[0] - start]


def is_key(candidate: Candidate) -> bool:
    """Accept whatever is no placeholder."""
    return not is_placeholder(candidate.secret)


class Kind(NamedTuple):
    """One kind of secret; a text cannot hold one without any of the *anchors*, and any of *also* if there are some."""

    name: str
    regex: str
    anchors: tuple[str, ...]
    accept: Callable[[Candidate], bool] = is_key
    owners: tuple[tuple[str, str], ...] = ()
    """Words of the name before the secret that tell a more specific kind."""
    also: tuple[str, ...] = ()

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled *regex*; most texts never need it."""
        return _compiled(self.regex)


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


def _key(kind: str, prefix: str, body: str, accept: Callable[[Candidate], bool] = is_key) -> Kind:
    """Return the kind of a *prefix* no word ends with: it counts anywhere, even inside other characters."""
    return Kind(kind, re.escape(prefix) + body, (prefix,), accept)


def _word(kind: str, prefix: str, body: str, accept: Callable[[Candidate], bool] = is_key) -> Kind:
    """Return the kind of a *prefix* that must begin a word; escapes before it do not count."""
    here = re.escape(prefix)
    start = rf"(?:(?<![A-Za-z0-9_]{here})|(?<=\\[nrtbf]{here})|(?<=%[0-9A-F]{{2}}{here}))"
    return Kind(kind, re.escape(prefix) + start + body + r"(?![A-Za-z0-9])", (prefix,), accept)


def _mixed(candidate: Candidate) -> bool:
    """Accept a key whose prefix is also an ordinary word part, by its body."""
    secret = candidate.secret
    return not is_placeholder(secret) and not is_wordy(secret) and any(c.isdigit() for c in secret)


def _discord(candidate: Candidate) -> bool:
    """Accept a token whose first part is a numeric id in base64."""
    start, _ = candidate.span
    first = re.search(r"[A-Za-z0-9_-]*$", candidate.text[max(0, start - 26) : start])
    encoded = first[0].replace("-", "+").replace("_", "/") if first else ""
    try:
        return binascii.a2b_base64(encoded + "=" * (-len(encoded) % 4)).isdigit()
    except binascii.Error:
        return False


def _long(candidate: Candidate) -> bool:
    """Accept a block with a body, not its first line alone."""
    return len(candidate.secret) > 60


def _jwt(candidate: Candidate) -> bool:
    return not is_placeholder(candidate.secret.partition(".")[2])


_B64 = r"[A-Za-z0-9+/=_-]"
_W = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"
_HEX = r"[0-9a-fA-F]"

_NEXT = r"(?:\\[nr]|\s)+"
_ENCODED = (
    rf"{_B64}{{4,512}}+(?:(?:{_NEXT}{_B64}{{60,76}}+(?!{_B64}))++(?:{_NEXT}(?:{_B64}{{4}})++={{0,2}}(?![\w+/=:-]))?)?"
)
"""The rest of a base64 text, also on several lines."""

KEYS: tuple[Kind, ...] = (
    # Cloud and hosting
    Kind("aws-access-key-id", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])", ("AKIA", "ASIA", "ABIA", "ACCA")),
    _key("aws-bedrock-key", "ABSKQmVkcm9ja0FQSUtleS", rf"{_B64}{{40,512}}"),
    _key("gcp-api-key", "AIza", rf"{_W}{{35}}"),
    _key("google-oauth-client-secret", "GOCSPX-", rf"{_W}{{20,512}}"),
    _key("google-oauth-access-token", "ya29.", rf"{_W}{{20,512}}"),
    _key("azure-devops-token", "AZDO", rf"(?<={_A}{{76}}AZDO){_A}{{4}}"),
    _key("digitalocean-token", "dop_v1_", r"[a-f0-9]{64}"),
    _key("digitalocean-oauth-token", "doo_v1_", r"[a-f0-9]{64}"),
    _key("digitalocean-refresh-token", "dor_v1_", r"[a-f0-9]{64}"),
    _word("alibaba-access-key-id", "LTAI", rf"{_A}{{16,26}}"),
    _key("tencent-secret-id", "AKID", rf"{_A}{{32}}"),
    _key("heroku-api-key", "HRKU-", rf"{_W}{{36,512}}"),
    _word("cloudflare-origin-ca-key", "v1.0-", r"[a-f0-9]{24}-[a-f0-9]{100,512}"),
    Kind("vercel-token", rf"(?:vcp|vci|vca|vcr|vck)_{_A}{{24,512}}", ("vcp_", "vci_", "vca_", "vcr_", "vck_")),
    _key("vercel-blob-token", "vercel_blob_rw_", rf"{_W}{{30,512}}"),
    Kind("netlify-token", rf"nf[pcoub]_{_A}{{36,512}}", ("nfp_", "nfc_", "nfo_", "nfu_", "nfb_")),
    _key("fly-token", "FlyV1 fm", rf"[12][ar]?_{_B64}{{40,512}}(?:,fm[12][ar]?_{_B64}{{40,512}})*"),
    _word("fly-token", "fo1_", rf"{_W}{{43}}"),
    *(_word("fly-token", prefix, rf"{_B64}{{60,512}}") for prefix in ("fm1a_", "fm1r_", "fm2_")),
    Kind("render-key", rf"rnd_{_A}{{28,512}}", ("rnd_",)),
    _word("scaleway-access-key", "SCW", r"[A-Z0-9]{17}"),
    _word("ibm-cloud-key", "ApiKey-", rf"{_W}{{36}}", _mixed),
    _key("yandex-cloud-key", "AQVN", rf"{_W}{{35,38}}"),
    _key("yandex-oauth-token", "y0_", rf"{_W}{{50,512}}"),
    _key("flyio-tailscale-key", "tskey-", rf"(?:auth|api|client|scim|webhook)-{_A}{{10,512}}-{_A}{{20,512}}"),
    # Version control
    Kind("github-token", r"gh[pousr]_[A-Za-z0-9_]{36,512}", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    _key("github-fine-grained-token", "github_pat_", r"[A-Za-z0-9_]{50,512}"),
    Kind(
        "gitlab-token",
        r"(?:glpat|gldt|glrt|glrtr|glcbt|glptt|glft|glimt|glagent|gloas|glsoat|glffct|glwt)-[A-Za-z0-9_.-]{20,512}",
        tuple(
            f"gl{kind}-"
            for kind in ("pat", "dt", "rt", "rtr", "cbt", "ptt", "ft", "imt", "agent", "oas", "soat", "ffct", "wt")
        ),
    ),
    _key("gitlab-runner-registration-token", "GR1348941", rf"{_W}{{20,512}}"),
    _key("bitbucket-app-password", "ATBB", rf"{_A}{{24,512}}[A-F0-9]{{8}}"),
    _key("bitbucket-access-token", "ATCTT3xFfG", rf"{_B64}{{100,512}}"),
    _key("atlassian-api-token", "ATATT3xFfG", rf"{_B64}{{100,512}}"),
    # Chat
    Kind("slack-bot-token", rf"xoxb-{_W}{{20,512}}", ("xoxb-",)),
    Kind("slack-user-token", rf"xox[ep]-{_W}{{20,512}}", ("xoxp-", "xoxe-")),
    Kind("slack-legacy-token", rf"xox[aorsc]-{_W}{{16,512}}", ("xoxa-", "xoxo-", "xoxr-", "xoxs-", "xoxc-")),
    Kind("slack-cookie", r"xoxd-[A-Za-z0-9%+/=_-]{30,512}", ("xoxd-",)),
    Kind("slack-configuration-token", rf"xoxe\.xox[bp]-\d-{_W}{{60,512}}", ("xoxe.",)),
    _key("slack-app-token", "xapp-", rf"\d-[A-Z0-9]{{8,512}}-\d{{8,512}}-{_A}{{30,512}}"),
    Kind(
        "discord-bot-token",
        # From the first dot on: the part before it is the bot's public id, and goes with the run it is.
        rf"\.(?={_W}{{6}}\.{_W}{{27}})(?:(?<=[MNO]{_W}{{23}}\.)|(?<=[MNO]{_W}{{25}}\.)){_W}{{6}}\.{_W}{{27,512}}",
        ("M", "N", "O"),
        _discord,
    ),
    Kind("telegram-bot-token", rf"(?<!\d)\d{{8,10}}:AA{_W}{{32,512}}", (":AA",)),
    # Payment and commerce
    Kind("stripe-live-key", r"sk_live_[A-Za-z0-9]{16,512}", ("sk_live_",)),
    Kind("stripe-test-key", r"sk_test_[A-Za-z0-9]{16,512}", ("sk_test_",)),
    Kind("stripe-restricted-key", r"rk_(?:live|test)_[A-Za-z0-9]{16,512}", ("rk_live_", "rk_test_")),
    _word("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/=]{24,512}"),
    Kind("square-token", rf"sq0(?:atp|csp|idp)-{_W}{{22,512}}", ("sq0atp-", "sq0csp-", "sq0idp-")),
    _word("facebook-or-square-token", "EAAA", rf"{_W}{{56,512}}", _mixed),
    Kind("paypal-braintree-token", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}", ("$",)),
    Kind(
        "shopify-token",
        rf"shp(?:at|ca|pa|ss|tka)_{_HEX}{{32,512}}",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_"),
    ),
    _word("razorpay-key", "rzp_live_", rf"{_A}{{14,512}}"),
    _key("flutterwave-key", "FLWSECK", rf"(?:_TEST|_LIVE)?-{_W}{{20,512}}"),
    _key("plaid-access-token", "access-production-", r"[0-9a-f-]{36}"),
    # AI
    Kind("openai-project-key", rf"sk-(?:proj|None)-{_W}{{32,512}}", ("sk-proj-", "sk-None-")),
    Kind("openai-service-key", rf"sk-(?:svcacct|admin)-{_W}{{32,512}}", ("sk-svcacct-", "sk-admin-")),
    Kind("openai-key", rf"sk-{_A}{{20}}T3BlbkFJ{_A}{{20}}", ("T3BlbkFJ",)),
    Kind("anthropic-key", rf"sk-ant-(?:[a-z]+\d\d-)?{_W}{{32,512}}", ("sk-ant-",)),
    _key("openrouter-key", "sk-or-v1-", r"[0-9a-f]{32,512}"),
    Kind("langfuse-key", r"sk-lf-[0-9a-f-]{32,512}", ("sk-lf-",)),
    Kind("langsmith-key", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{8,512}}", ("lsv2_",)),
    _word("model-provider-key", "sk-", rf"{_A}{{28,512}}", _mixed),  # DeepSeek, Moonshot, Together and others
    _word("huggingface-token", "hf_", r"[A-Za-z]{34,512}"),
    _word("huggingface-token", "hf_", rf"{_A}{{30,512}}", _mixed),
    _key("huggingface-organisation-token", "api_org_", r"[A-Za-z]{34,512}"),
    _word("groq-key", "gsk_", rf"{_A}{{40,512}}"),
    _word("replicate-token", "r8_", rf"{_A}{{30,512}}"),
    _word("perplexity-key", "pplx-", rf"{_A}{{32,512}}"),
    _word("xai-key", "xai-", rf"{_A}{{40,512}}"),
    _word("cerebras-key", "csk-", rf"{_A}{{32,512}}"),
    _word("fireworks-key", "fw_", rf"{_A}{{22,512}}", _mixed),
    _word("nvidia-key", "nvapi-", rf"{_W}{{40,512}}"),
    _word("tavily-key", "tvly-", rf"{_W}{{24,512}}", _mixed),
    _word("pinecone-key", "pcsk_", rf"{_W}{{40,512}}"),
    # Package registries
    _key("pypi-token", "pypi-AgE", rf"{_W}{{50,512}}"),
    _word("npm-token", "npm_", rf"{_A}{{36,512}}"),
    _key("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    _word("crates-io-token", "cio", rf"{_A}{{32}}", _mixed),
    _word("nuget-key", "oy2", r"[a-z0-9]{43}"),
    Kind("docker-hub-token", rf"dckr_(?:pat|oat)_{_W}{{27,512}}", ("dckr_pat_", "dckr_oat_")),
    _key("jfrog-token", "cmVmdGtuOjAxOjA", rf"{_A}{{40,512}}"),
    _word("jfrog-api-key", "AKCp", rf"{_A}{{60,512}}"),
    _key("clojars-token", "CLOJARS_", r"[a-z0-9]{60}"),
    # Mail, telephony, monitoring
    Kind("sendgrid-key", rf"SG\.{_W}{{20,24}}\.{_W}{{39,512}}", ("SG.",)),
    _word("mailgun-key", "key-", r"[0-9a-f]{32}"),
    Kind("mailchimp-key", r"-us(?<=[0-9a-f]{32}-us)\d{1,2}(?!\w)", ("-us",)),
    _key("brevo-key", "xkeysib-", rf"[0-9a-f]{{64}}-{_A}{{16}}"),
    _word("twilio-key", "SK", r"[0-9a-f]{32}"),
    _word("resend-key", "re_", rf"{_A}{{8}}_{_A}{{20,512}}", _mixed),
    Kind("new-relic-key", r"NR(?:AK|II|JS|RA|SP)-[A-Za-z0-9-]{19,512}", ("NRAK-", "NRII-", "NRJS-", "NRRA-", "NRSP-")),
    Kind("sentry-token", rf"sntry[su]_{_B64}{{40,512}}", ("sntrys_", "sntryu_")),
    Kind("grafana-token", rf"glsa_{_A}{{32}}_{_HEX}{{8}}|glc_eyJ{_B64}{{32,512}}", ("glsa_", "glc_eyJ")),
    Kind("dynatrace-token", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}", ("dt0",)),
    _key("honeycomb-key", "hcaik_", rf"{_A}{{58}}"),
    Kind("posthog-key", rf"ph[xs]_{_A}{{40,512}}", ("phx_", "phs_")),
    Kind("rollbar-or-sumo-key", rf"sumo_{_A}{{40,512}}", ("sumo_",)),
    # Software services
    _key("linear-key", "lin_api_", rf"{_A}{{32,512}}"),
    _key("linear-oauth-token", "lin_oauth_", rf"{_A}{{32,512}}"),
    _word("notion-token", "ntn_", rf"{_A}{{40,512}}"),
    _word("notion-secret", "secret_", rf"{_A}{{43}}", _mixed),
    _word("airtable-token", "pat", rf"{_A}{{14}}\.[0-9a-f]{{64}}"),
    Kind("asana-token", r":(?<=\d{10}:)[0-9a-f]{32}(?![0-9a-f])", (":",)),
    _key("figma-token", "figd_", rf"{_W}{{38,512}}"),
    _key("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _word("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    Kind("terraform-cloud-token", rf"{_A}{{14}}\.atlasv1\.{_W}{{60,512}}", (".atlasv1.", "atlasv1.")),
    *(_word("vault-token", prefix, rf"{_W}{{24,512}}") for prefix in ("hvs.", "hvb.", "hvr.")),
    Kind("doppler-token", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_A}{{40,512}}", ("dp.",)),
    _word("pulumi-token", "pul-", r"[a-f0-9]{40}"),
    Kind("planetscale-token", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,512}", ("pscale_",)),
    Kind("supabase-token", r"sbp_(?:v0_|oauth_)?[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{28,512}", ("sbp_", "sb_secret_")),
    Kind("age-secret-key", r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{58,512}", ("AGE-SECRET-KEY-",)),
    Kind("onepassword-token", rf"ops_eyJ{_B64}{{200,512}}", ("ops_eyJ",)),
    _key("onepassword-secret-key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    Kind("prefect-key", rf"pn[ub]_{_A}{{36}}", ("pnu_", "pnb_")),
    _key("readme-key", "rdme_", r"[a-z0-9]{70}"),
    _word("sourcegraph-token", "sgp_", rf"(?:(?:local|{_HEX}{{16}})_)?{_HEX}{{40}}"),
    _key("contentful-token", "CFPAT-", rf"{_W}{{43}}"),
    Kind("hubspot-token", r"pat-(?:na|eu|ap)\d-[0-9a-f-]{36}", ("pat-na", "pat-eu", "pat-ap")),
    _word("typeform-token", "tfp_", rf"{_W}{{40,512}}"),
    _key("snyk-token", "snyk_", rf"(?:uat|sat)\.{_W}{{20,512}}"),
    _key("buildkite-token", "bkua_", r"[a-z0-9]{40}"),
    _key("circleci-token", "CCIPAT_", rf"{_A}{{22}}_{_HEX}{{40}}"),
    _word("launchdarkly-key", "sdk-", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _key("easypost-key", "EZAK", rf"{_A}{{54}}"),
    _word("upstash-or-neon-key", "napi_", rf"{_A}{{40,512}}"),
    # Base64 of a PEM block: `PRIVATE KEY` at each of the three places in a group; names of the engine's runs precede it
    *(
        Kind("private-key", word + _ENCODED, (word,), _long)
        for word in ("UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW")
    ),
    # Base64 of Docker's configuration, with and without white space in it
    *(
        Kind("docker-config", word + _ENCODED, (word,), _long)
        for word in ("eyJhdXRocyI6", "ewogICJhdXRocyI6", "ewoJImF1dGhzIjog")
    ),
    # Signed tokens
    _word("jwt", "eyJ", rf"{_W}{{8,}}+\.{_W}*+\.(?:{_W}++\.){{0,2}}{_W}{{10,}}+", _jwt),
)
