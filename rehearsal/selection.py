"""Which tests the rehearsal runs against the deployment."""

from __future__ import annotations

# Tests of the API as for one machine, over the gateway. Of these files, tests that ask for settings, a clock
# or a process of their own are skipped.
_FILES = (
    "settings",
    "facts",
    "conversations",
    "extraction_api",
    "erasure_api",
    "compliance",
    "organisations",
    "export",
    "isolation",
    "idempotency",
    "masking",
    "recall",
    "held",
    "saved",
)
# What a deployment answers otherwise, or cannot be asked, each with why.
_LEFT_OUT = {
    # The erasure's wait for writers is shortened here, so it ends before the answer that it overtakes.
    "conversations::test_an_answer_during_which_everything_was_erased_is_not_told",
    "erasure_api::test_an_answer_that_was_being_written_brings_nothing_back",
    # They send to the queue, which only functions may, or look into it.
    "erasure_api::test_a_fact_is_erased_with_its_verdicts_and_not_learnt_again",
    "erasure_api::test_an_extraction_that_was_running_brings_nothing_back",
    "isolation::test_a_forged_message_does_nothing",
    "masking::test_no_value_stands_in_any_row_or_message",
    # They change parts of this process, or its files.
    "erasure_api::test_nothing_is_served_from_tables_that_may_have_been_restored",
    "erasure_api::test_of_a_memory_whose_key_is_gone_nothing_is_told_until_it_is_erased",
    "export::test_an_export_is_all_of_it_and_comes_back_after_an_erasure",
    # They fetch what is public without this deployment's certificate (rehearsal/checks has the receipt).
    "compliance::test_an_organisation_is_erased_when_a_second_client_agrees",
    "erasure_api::test_an_erasure_ends_with_a_receipt_that_anyone_can_check",
    # They count the rows of everybody, among whom are those of other tests.
    "compliance::test_a_system_reaches_its_own_organisation_and_every_refusal_is_written_down",
    "erasure_api::test_a_receipt_holds_nothing_of_the_person",
    "erasure_api::test_a_request_has_these_fields_and_no_others",
    # It looks for the service's own words where the gateway refuses with its own.
    "erasure_api::test_a_compliance_system_can_read_nothing_else",
    # A message comes back here before so slow an extraction has ended.
    "extraction_api::test_a_slow_extraction_holds_up_no_answer",
}

API = (
    *(f"tests/api/test_{name}.py" for name in _FILES),
    *(f"--deselect=tests/api/test_{name.replace('::', '.py::')}" for name in sorted(_LEFT_OUT)),
)
CHECKS = ("rehearsal/checks",)
