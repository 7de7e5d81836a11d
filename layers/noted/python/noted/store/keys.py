"""Every key of every table, built and read here and nowhere else.

Each part has one fixed format and is checked before it is joined, so no part can contain the separator and
reach into another user's rows.
"""

from __future__ import annotations

import re

from noted import ids
from noted.identity import Principal

_PARTITION = re.compile(r"(o_[a-z2-7]{26})#(u_[a-z2-7]{26})#g([0-9]{1,9})")
_ORGANISATION = re.compile(r"o_[a-z2-7]{26}")
_USER = re.compile(r"u_[a-z2-7]{26}")
_USER_LIST = re.compile(r"ORG#o_[a-z2-7]{26}#[0-9a-f]")
_REFERENCE = re.compile(r"s_[a-z2-7]{26}")
_REQUEST = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ORGANISATION_ERASURE = re.compile(rf"ORGERASE#({_ORGANISATION.pattern})#({_REQUEST.pattern})")
_THREAD = re.compile(r"THREAD#(cv_\w{26})#(tn_\w{26})")
_STATE = re.compile(r"THREAD#(cv_\w{26})#~state")
_BUILD = re.compile(r"INDEX#([0-9]{15})#(?:basis|[0-9]{6}|cv_\w{26})")
_HEADER = re.compile(r"CONV#(cv_\w{26})")

META = "META"
JOB = "JOB"
REPLAY = "REPLAY"
SERVICE = "SERVICE"
TABLES_IN_USE = "TABLES"
KEY = "KEY"
HEADERS = "CONV#"
FACTS = "FACT#"
FACTS_REVISION = "FACTS~revision"
# The mark of rows that are to end by what their user has set.
LIMIT = "LIMIT"
EPISODES = "EPIS#"
THREADS = "THREAD#"
VERDICTS_PREFIX = "VERD#"
ACTIVITIES = "ACT#"
STATE = "~state"
INDEX = "INDEX#"
INDEX_MANIFEST = INDEX + "manifest"


def owner(principal: Principal) -> str:
    """Partition of a user's control rows."""
    return principal.owner


def partition(principal: Principal, generation: int) -> str:
    """Partition of everything a user has in one generation."""
    key = f"{principal.owner}#g{generation}"
    if not _PARTITION.fullmatch(key):
        raise ValueError("not a generation")
    return key


def read_partition(key: str) -> tuple[Principal, int]:
    """The user and generation of a partition. Raises ValueError."""
    match = _PARTITION.fullmatch(key)
    if not match:
        raise ValueError("not a partition")
    return Principal(match[1], match[2]), int(match[3])


def header(conversation_id: str) -> str:
    """The row that lists a conversation."""
    return HEADERS + _checked(ids.CONVERSATION, conversation_id)


def read_header(key: str) -> str:
    """The conversation of such a row's sort key. Raises ValueError."""
    match = _HEADER.fullmatch(key)
    if not match:
        raise ValueError("not a header")
    return match[1]


def episode(conversation_id: str) -> str:
    """The episode of a conversation; episodes sort by when their conversations began."""
    return EPISODES + _checked(ids.CONVERSATION, conversation_id)


def thread(conversation_id: str) -> str:
    """The prefix of a conversation's turns and of its state."""
    return f"{THREADS}{_checked(ids.CONVERSATION, conversation_id)}#"


def turn(conversation_id: str, turn_id: str) -> str:
    """One turn; turns sort by the user's write order."""
    return thread(conversation_id) + _checked(ids.TURN, turn_id)


def read_turn(key: str) -> tuple[str, str]:
    """The conversation and turn of a turn's sort key. Raises ValueError."""
    match = _THREAD.fullmatch(key)
    if not match:
        raise ValueError("not a turn")
    return match[1], match[2]


def state(conversation_id: str) -> str:
    """A conversation's state. It sorts behind every turn, so one descending query reads it first."""
    return thread(conversation_id) + STATE


def read_state(key: str) -> str:
    """The conversation of a state's sort key. Raises ValueError."""
    match = _STATE.fullmatch(key)
    if not match:
        raise ValueError("not a state")
    return match[1]


def fact(fact_id: str) -> str:
    """One fact; facts sort by when they were said."""
    return FACTS + _checked(ids.FACT, fact_id)


def activity(activity_id: str) -> str:
    """What a user did, or a system did about them; acts sort by their time."""
    return ACTIVITIES + _checked(ids.ACTIVITY, activity_id)


def extraction(turn_id: str) -> str:
    """The mark that a turn has been extracted, and what came of it."""
    return "EXT#" + _checked(ids.TURN, turn_id)


def idempotency(digest: str) -> str:
    """One idempotency key, hashed."""
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise ValueError("not a digest")
    return "IDEM#" + digest


def verdicts(fact_id: str) -> str:
    """The prefix of a fact's verdicts."""
    return f"{VERDICTS_PREFIX}{_checked(ids.FACT, fact_id)}#"


def verdict(fact_id: str, verdict_id: str) -> str:
    """One verdict; verdicts sort by the user's write order."""
    return verdicts(fact_id) + _checked(ids.VERDICT, verdict_id)


def segment(build: int, number: int) -> str:
    """One segment of the index of facts; the rows of one build belong together."""
    return f"{INDEX}{build:015d}#{number:06d}"


def index_basis(build: int) -> str:
    """What the vectors of one build are kept along."""
    return f"{INDEX}{build:015d}#basis"


def snapshot(build: int, conversation_id: str) -> str:
    """What the facts of a conversation's snapshot say. It belongs to one build of the index, and ends with
    it."""
    return f"{INDEX}{build:015d}#{_checked(ids.CONVERSATION, conversation_id)}"


def read_build(key: str) -> int | None:
    """The build to which a row of the index belongs, None for the manifest. Raises ValueError."""
    if key == INDEX_MANIFEST:
        return None
    match = _BUILD.fullmatch(key)
    if not match:
        raise ValueError("not a row of the index")
    return int(match[1])


def job(erasure_id: str) -> str:
    """Partition of one erasure job."""
    return "ERASE#" + _checked(ids.ERASURE, erasure_id)


def request(organisation: str, subject_request_id: str) -> str:
    """Partition of a compliance system's request. The id is the system's own: it says something within the
    system's organisation alone."""
    return f"REQUEST#{_organisation(organisation)}#{_request(subject_request_id)}"


def organisation_erasure(organisation: str, request_id: str) -> str:
    """Partition of one erasure of a whole organisation, by an id that a system of it has made."""
    return f"ORGERASE#{_organisation(organisation)}#{_request(request_id)}"


def read_organisation_erasure(key: str) -> tuple[str, str]:
    """The organisation and the id of such a partition. Raises ValueError."""
    match = _ORGANISATION_ERASURE.fullmatch(key)
    if not match:
        raise ValueError("not the erasure of an organisation")
    return match[1], match[2]


def user(user_id: str) -> str:
    """The sort key of a user in a list of users."""
    if not _USER.fullmatch(user_id):
        raise ValueError("not a user")
    return user_id


def user_list(organisation: str, shard: str) -> str:
    """Partition of one of the sixteen parts of an organisation's list of users; `shard` is a hexadecimal
    digit."""
    key = f"ORG#{organisation}#{shard}"
    if not _USER_LIST.fullmatch(key):
        raise ValueError("not a list of users")
    return key


def quota(reference: str) -> str:
    """Partition of what a compliance system has asked for, by day."""
    return "QUOTA#" + ledger(reference)


def breaker(organisation: str) -> str:
    """Partition of what was erased in an organisation on behalf of compliance systems, by day."""
    return "BREAKER#" + _organisation(organisation)


def audit(reference: str) -> str:
    """Partition of what a compliance system asked for and what it was answered."""
    return "AUDIT#" + ledger(reference)


def on_behalf(reference: str) -> str:
    """Partition of the erasures of one person that compliance systems asked for, by erasure: in the control
    table what the person's receipts are in the ledger."""
    return ledger(reference)


def ledger(reference: str) -> str:
    """Partition of a person's receipts."""
    if not _REFERENCE.fullmatch(reference):
        raise ValueError("not a reference")
    return reference


def _organisation(organisation: str) -> str:
    if not _ORGANISATION.fullmatch(organisation):
        raise ValueError("not an organisation")
    return organisation


def _request(request_id: str) -> str:
    if not _REQUEST.fullmatch(request_id):
        raise ValueError("not a request id")
    return request_id


def _checked(kind: str, object_id: str) -> str:
    if not ids.is_id(kind, object_id):
        raise ValueError(f"not an id of kind {kind}")
    return object_id
