"""What clients get: the reply models of the interface, and the way from the domain's values to them, one
module a resource."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noted.api.replies.activity import ActivityReply, act
    from noted.api.replies.common import (
        Page,
        Time,
    )
    from noted.api.replies.compliance import (
        AuditedReply,
        ComplianceErasureReply,
        OrganisationErasureReply,
        UserReply,
        UsersReply,
        audited,
        compliance_erasure,
        organisation_erasure,
        user,
    )
    from noted.api.replies.contexts import (
        CachePointReply,
        ContextReply,
        ContextTokensReply,
        MessageReply,
        context,
    )
    from noted.api.replies.conversations import (
        ConversationDetailReply,
        ConversationReply,
        EpisodeReply,
        SavedReply,
        TokensReply,
        TurnReply,
        UsageReply,
        conversation,
        conversation_detail,
        episode,
        saved,
        taken,
        turn,
        usage,
    )
    from noted.api.replies.erasures import (
        AcceptedReply,
        ErasureReply,
        HealthReply,
        ReceiptKeysReply,
        ReceiptReply,
        SubjectErasureReply,
        accepted,
        erasure,
        receipt_keys,
        subject_erasure,
    )
    from noted.api.replies.exporting import ExportReply, export
    from noted.api.replies.memory import (
        BatchReply,
        FactDetailReply,
        FactReply,
        HistoryReply,
        LatestVerdict,
        ProfileFieldReply,
        ProfileReply,
        RefusedReply,
        SourceReply,
        VerdictReply,
        fact,
        fact_detail,
        facts,
        profile,
        refused,
        verdict,
    )
    from noted.api.replies.preferences import ConsentReply, SettingsReply, settings
    from noted.api.replies.recall import (
        FoundReply,
        RecallReply,
        TimeRange,
        WhyReply,
        recalled,
    )
    from noted.api.replies.taking import ImportReply, taken_back

__all__ = [
    "AcceptedReply",
    "ActivityReply",
    "AuditedReply",
    "BatchReply",
    "CachePointReply",
    "ComplianceErasureReply",
    "ConsentReply",
    "ContextReply",
    "ContextTokensReply",
    "ConversationDetailReply",
    "ConversationReply",
    "EpisodeReply",
    "ErasureReply",
    "ExportReply",
    "FactDetailReply",
    "FactReply",
    "FoundReply",
    "HealthReply",
    "HistoryReply",
    "ImportReply",
    "LatestVerdict",
    "MessageReply",
    "OrganisationErasureReply",
    "Page",
    "ProfileFieldReply",
    "ProfileReply",
    "RecallReply",
    "ReceiptKeysReply",
    "ReceiptReply",
    "RefusedReply",
    "SavedReply",
    "SettingsReply",
    "SourceReply",
    "SubjectErasureReply",
    "Time",
    "TimeRange",
    "TokensReply",
    "TurnReply",
    "UsageReply",
    "UserReply",
    "UsersReply",
    "VerdictReply",
    "WhyReply",
    "accepted",
    "act",
    "audited",
    "compliance_erasure",
    "context",
    "conversation",
    "conversation_detail",
    "episode",
    "erasure",
    "export",
    "fact",
    "fact_detail",
    "facts",
    "organisation_erasure",
    "profile",
    "recalled",
    "receipt_keys",
    "refused",
    "saved",
    "settings",
    "subject_erasure",
    "taken",
    "taken_back",
    "turn",
    "usage",
    "user",
    "verdict",
]

# None of these modules has the name of a function, or it would stand in its place.
_NAMES = {
    "activity": "ActivityReply act",
    "common": "Page Time",
    "compliance": (
        "AuditedReply ComplianceErasureReply OrganisationErasureReply UserReply UsersReply audited "
        "compliance_erasure organisation_erasure user"
    ),
    "contexts": "CachePointReply ContextReply ContextTokensReply MessageReply context",
    "conversations": (
        "ConversationDetailReply ConversationReply EpisodeReply SavedReply TokensReply TurnReply "
        "UsageReply conversation conversation_detail episode saved taken turn usage"
    ),
    "erasures": (
        "AcceptedReply ErasureReply HealthReply ReceiptKeysReply ReceiptReply SubjectErasureReply "
        "accepted erasure receipt_keys subject_erasure"
    ),
    "exporting": "ExportReply export",
    "memory": (
        "BatchReply FactDetailReply FactReply HistoryReply LatestVerdict ProfileFieldReply ProfileReply "
        "RefusedReply SourceReply VerdictReply fact fact_detail facts profile refused verdict"
    ),
    "preferences": "ConsentReply SettingsReply settings",
    "recall": "FoundReply RecallReply TimeRange WhyReply recalled",
    "taking": "ImportReply taken_back",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """A function answers with a few of these, and a cold start would pay for all: each module is imported
    when something of it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
