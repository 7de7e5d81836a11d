"""The faults that Noted is built to stand, each with what is done about it and the tests that show it; and
the invariants that hold whatever happens, each with the tests that would fail if it did not.

`docs/reliability.md` is made of this by `python -m tests.faults`.
"""

from __future__ import annotations

from dataclasses import dataclass

_DATABASE, _CRASH = "tests/faults/test_database.py", "tests/faults/test_crash_points.py"
_QUEUE, _MODELS = "tests/faults/test_queue.py", "tests/faults/test_models.py"
_CLIENTS, _KEYS = "tests/faults/test_clients.py", "tests/faults/test_keys.py"
_RESTORING, _AUTHORIZER = "tests/store/test_restoring.py", "tests/unit/test_authorizer.py"
_PROCESS, _BLOCK = "tests/api/test_crash.py", "tests/unit/test_block.py"


@dataclass(frozen=True)
class Fault:
    """One fault: where it is, what is injected, and what happens then. `tests` are `file::name`."""

    id: str
    area: str
    fault: str
    injected: str
    happens: str
    invariants: tuple[int, ...]
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Invariant:
    """What holds at all times, whatever fails. `tests` are `file::name`."""

    number: int
    holds: str
    tests: tuple[str, ...]


FAULTS = (
    Fault(
        "F01",
        "DynamoDB",
        "Throttled twice, then well",
        "the first two requests of each flow are answered as throttled",
        "The client's own retries ride it out; the work is done once",
        (1, 15),
        (f"{_DATABASE}::test_a_throttle_that_passes_is_ridden_out",),
    ),
    Fault(
        "F02",
        "DynamoDB",
        "What is remembered cannot be read",
        "every query of the memory table fails",
        'The answer is given without memory and without the earlier turns, with `degraded: ["memory", '
        '"history"]`; its prompt forbids any claim about what was told; a breaker opens. A question about '
        'the memory itself is a 503, never "nothing is recorded"',
        (10, 11, 15),
        (
            f"{_DATABASE}::test_an_answer_goes_on_without_the_memory_that_cannot_be_read",
            f"{_DATABASE}::test_memory_that_is_down_is_not_asked_again_and_again",
            f"{_DATABASE}::test_what_was_told_is_not_said_to_be_nothing_while_it_cannot_be_read",
        ),
    ),
    Fault(
        "F03",
        "DynamoDB",
        "A write fails for good",
        "every put, or every transaction, is answered with 500",
        "503 with `Retry-After`; nothing is half written; the same `Idempotency-Key` then does the work once",
        (1, 6),
        (
            f"{_DATABASE}::test_a_write_that_fails_is_told_and_leaves_nothing_half_done",
            f"{_DATABASE}::test_a_claim_that_could_not_be_given_back_ends_by_itself",
        ),
    ),
    Fault(
        "F04",
        "DynamoDB",
        "An acknowledgement is lost",
        "each write of each flow in turn is done, and its answer is a time-out",
        "Every row names the write that it is from: the try that fails on it knows itself, and the caller "
        "gets the same success with the same id. A place in the user's write order may be skipped",
        (1, 6),
        (
            f"{_DATABASE}::test_a_write_whose_acknowledgement_was_lost_is_known_again",
            f"{_DATABASE}::test_an_extraction_whose_acknowledgement_was_lost_is_made_once",
            f"{_DATABASE}::test_a_place_in_the_order_that_was_lost_leaves_a_gap_and_nothing_else",
            f"{_DATABASE}::test_an_answer_that_never_came_is_given_to_the_same_key",
        ),
    ),
    Fault(
        "F06",
        "DynamoDB",
        "Another transaction holds a row",
        "transactions are cancelled for a conflict, four times or always",
        "Tried again, five times in all, with full jitter; then 503. A condition that does not hold is never "
        "tried again",
        (6, 15),
        (
            f"{_DATABASE}::test_a_transaction_that_others_held_up_is_tried_again",
            f"{_DATABASE}::test_a_transaction_is_tried_five_times_at_most",
            f"{_DATABASE}::test_a_condition_that_does_not_hold_is_not_tried_again",
        ),
    ),
    Fault(
        "F07",
        "DynamoDB",
        "Part of a batch is not processed",
        "half of each batch of deletes or reads is given back; or all deletes are throttled",
        "The rest is sent again until nothing is left; an erasure that cannot delete stays `running`",
        (4, 16),
        (
            f"{_DATABASE}::test_a_sweep_goes_on_until_nothing_is_left_unprocessed",
            f"{_DATABASE}::test_a_sweep_that_leaves_a_remainder_is_never_complete",
            f"{_DATABASE}::test_a_batch_of_reads_is_read_to_its_end",
        ),
    ),
    Fault(
        "F08",
        "DynamoDB",
        "A result is cut at 1 MB",
        "20 turns of 60 KB; and queries that end after two rows",
        "Every page is read, in lists, recall, profile and erasure",
        (1, 4),
        (
            f"{_DATABASE}::test_every_page_is_read",
            f"{_DATABASE}::test_more_than_a_megabyte_is_read_and_erased",
        ),
    ),
    Fault(
        "F10",
        "DynamoDB",
        "More than a row or a transaction holds",
        "a body of 450 KB; a transaction of 4 MB; a batch of 60",
        "413 before any write and any model call; transactions and batches keep to DynamoDB's limits",
        (11, 15),
        (
            f"{_DATABASE}::test_a_body_that_is_too_large_is_refused_before_anything_is_done",
            f"{_DATABASE}::test_a_transaction_has_dynamodb_s_limits",
            f"{_DATABASE}::test_a_batch_has_dynamodb_s_limits",
        ),
    ),
    Fault(
        "F11",
        "DynamoDB",
        "Expired rows are still there",
        "the clock is put years ahead; no row is deleted",
        "No path returns any of them: lists, look-ups, recall, history, profile, prompts",
        (9,),
        (f"{_DATABASE}::test_what_has_expired_is_on_no_path",),
    ),
    Fault(
        "F13",
        "IAM",
        "A right is missing",
        "AccessDenied from all tables, from all but the control table, and for recall alone",
        "Fails closed: 503 for reads and writes, and no other role to fall back on. An answer that only "
        "lacks recall is given without memory",
        (7, 10),
        (
            f"{_DATABASE}::test_a_right_that_is_missing_fails_closed",
            f"{_DATABASE}::test_an_answer_needs_no_right_to_what_it_can_do_without",
        ),
    ),
    Fault(
        "F14",
        "DynamoDB",
        "A table is restored to before an erasure",
        "a point-in-time restore takes the table's place",
        "Nothing is served until every erasure has been done again; generations never go down",
        (5, 20),
        (
            f"{_RESTORING}::test_after_a_restore_nothing_is_served_until_what_was_erased_is_erased_again",
            f"{_RESTORING}::test_a_generation_never_goes_down",
            f"{_RESTORING}::test_a_restored_key_is_destroyed_again",
        ),
    ),
    Fault(
        "F15",
        "Lambda",
        "Dies between the commit and the queue",
        "the process ends where the message would be sent",
        "The turn's mark outlives it: the sweep, each minute, sends what is two minutes old",
        (1,),
        (f"{_CRASH}::test_a_turn_whose_message_was_never_sent_is_found_and_learnt_from",),
    ),
    Fault(
        "F16",
        "Lambda",
        "Dies at any write",
        "the process ends right before and right after each write of each flow, and of an extraction",
        "The same request, or the next delivery, does the work; one turn, one set of facts, one verdict",
        (1, 6, 15),
        (
            f"{_CRASH}::test_a_request_that_a_crash_cut_short_is_done_once_when_it_is_sent_again",
            f"{_CRASH}::test_a_request_without_a_key_that_a_crash_cut_short_is_whole_or_not_there",
            f"{_CRASH}::test_an_extraction_that_dies_is_done_again_and_gives_one_set_of_facts",
        ),
    ),
    Fault(
        "F18",
        "Lambda",
        "Dies in the middle of an erasure",
        "the process ends between any two writes of the call and of the passes behind it",
        "The lease ends, the next worker goes on; nothing of it is readable meanwhile; one receipt. What "
        "came from a conversation whose erasure died unanswered is readable until that worker comes",
        (3, 4, 16),
        (
            f"{_CRASH}::test_an_erasure_that_dies_goes_on_where_it_was",
            "tests/store/test_erasure_steps.py::test_a_crash_after_any_effect_loses_nothing_and_claims_nothing",
        ),
    ),
    Fault(
        "F20",
        "Lambda",
        "More is asked at once than can be done",
        "a request comes in while the front is full",
        "429 with `Retry-After`; what runs goes on. In the cloud extraction has at most ten functions at "
        "once, and the queue takes the rest",
        (10, 15),
        (f"{_CLIENTS}::test_beyond_what_it_does_at_once_a_client_is_told_when_to_come_back",),
    ),
    Fault(
        "F21",
        "SQS",
        "A message comes twice",
        "delivered again, and three times in one batch; the model words it differently",
        "Nothing changes, and no model is called",
        (6,),
        (f"{_QUEUE}::test_a_second_delivery_changes_nothing",),
    ),
    Fault(
        "F23",
        "SQS",
        "The later turn comes first",
        "two messages are delivered in the wrong order",
        "Facts carry the order of their turns: the later one stands",
        (17,),
        (f"{_QUEUE}::test_the_later_turn_wins_whatever_came_first",),
    ),
    Fault(
        "F24",
        "SQS",
        "One message of a batch is poison",
        "a body that is not ours among nine that are",
        "Nine are worked off; the one goes to the dead letters after three tries and raises an alarm; bodies "
        "hold ids only",
        (14, 15),
        (
            f"{_QUEUE}::test_a_poison_message_fails_alone",
            "tests/infra/test_extraction.py::test_one_dead_letter_raises_the_alarm",
        ),
    ),
    Fault(
        "F25",
        "SQS",
        "A message is shown again while it is worked on",
        "a second worker takes it between the first one's model call and commit",
        "One of them commits, the other finds it done",
        (6,),
        (
            f"{_QUEUE}::test_two_workers_with_one_message_make_one_set_of_facts",
            "tests/infra/test_extraction.py::test_a_message_stays_hidden_until_every_try_of_its_batch_is_over",
        ),
    ),
    Fault(
        "F27",
        "SQS",
        "Nothing can be sent",
        "the queue raises",
        'The turn is acknowledged all the same, with `memory: "queued"`; the sweep sends it later',
        (1, 10),
        (f"{_QUEUE}::test_a_turn_is_acknowledged_while_the_queue_is_down",),
    ),
    Fault(
        "F28",
        "Models",
        "Throttled or down",
        "each error that Bedrock has for it, once or always",
        "Two tries, then 503 with `Retry-After` and nothing stored. An extraction goes back to the queue",
        (10, 15),
        (
            f"{_MODELS}::test_a_throttled_answer_has_a_second_try",
            f"{_MODELS}::test_a_model_that_is_down_is_an_honest_503",
            f"{_MODELS}::test_a_throttled_extraction_goes_back_to_the_queue",
        ),
    ),
    Fault(
        "F29",
        "Models",
        "Gone for longer",
        "every call of the model, or of the embedder, runs into its time-out",
        "After five failures of ten calls a breaker opens for 30 s, then one call tries. No call outlasts "
        "its function",
        (10, 15),
        (
            f"{_MODELS}::test_a_model_that_is_gone_costs_its_time_out_five_times",
            f"{_MODELS}::test_the_background_model_going_does_not_stop_answers",
            f"{_MODELS}::test_recall_does_without_an_embedder_that_is_gone",
            f"{_MODELS}::test_no_call_outlasts_the_function",
        ),
    ),
    Fault(
        "F30",
        "Models",
        "What it says cannot be read",
        "prose, half an object, wrong types, every stop reason that means so",
        'One more try, then the list is dropped and the type of the error noted; the turn stays; "Noted." is '
        "not said. One wrong item is dropped alone",
        (2, 11),
        (
            f"{_MODELS}::test_an_extraction_that_cannot_be_read_loses_its_list_alone",
            f"{_MODELS}::test_what_is_wrong_in_a_list_is_dropped_alone",
            f"{_MODELS}::test_an_unreadable_extraction_leaves_no_text_in_the_log",
        ),
    ),
    Fault(
        "F32",
        "Models",
        "A guardrail steps in",
        "the stop reasons `guardrail_intervened` and `content_filtered`",
        "A fixed reply; nothing to remember; no second try; counted by outcome",
        (11, 15),
        (f"{_MODELS}::test_a_guardrail_gives_a_fixed_reply_and_nothing_to_remember",),
    ),
    Fault(
        "F33",
        "Models",
        "The extractor obeys an attacker",
        "200 facts, forged provenance, another user's name, placeholders that nobody typed",
        "At most five facts, of this user and turn, with provenance `said`; nothing for anyone else",
        (2, 7, 12),
        (
            f"{_MODELS}::test_an_extractor_that_obeys_an_attacker_gets_no_further_than_its_user",
            "tests/api/test_gate.py::test_what_is_typed_pasted_returned_or_suggested",
        ),
    ),
    Fault(
        "F34",
        "Models",
        "An answer breaks off half way",
        "a stream ends with an error, or without its end",
        "The client gets an `error` event; half an answer is stored nowhere and nothing is learnt; the same "
        "key is answered anew and stored once",
        (1, 6),
        (
            f"{_MODELS}::test_a_stream_that_breaks_half_way_is_stored_nowhere",
            f"{_MODELS}::test_a_stream_that_breaks_before_it_begins_has_a_second_try",
        ),
    ),
    Fault(
        "F35",
        "Erasure",
        "An erasure between the model and the commit",
        "everything, or the conversation, is erased while the model is at work",
        "The commit is cancelled and the message worked off; an answer that recalled what is gone is a 409",
        (3, 5),
        (
            f"{_QUEUE}::test_an_erasure_between_the_model_and_the_commit_cancels_the_commit",
            f"{_QUEUE}::test_an_answer_that_an_erasure_overtook_is_not_told",
        ),
    ),
    Fault(
        "F37",
        "KMS",
        "Data keys cannot be had",
        "the wrapper of keys fails",
        "503; nothing is written in plain; an erasure goes through to its receipt",
        (10, 19),
        (
            f"{_KEYS}::test_without_keys_nothing_is_written_in_plain_and_erasure_works",
            "tests/unit/test_kms.py::test_whatever_else_goes_wrong_means_later_and_never_without_a_key",
        ),
    ),
    Fault(
        "F39",
        "Tokens",
        "The issuer's keys cannot be read, or change",
        "no key set; a key that is not in it; an overlap of two keys",
        "401, never 500 and never let through; both keys are good while they overlap",
        (7,),
        (
            f"{_AUTHORIZER}::test_without_keys_nobody_gets_in_and_no_call_is_an_error_of_the_server",
            f"{_AUTHORIZER}::test_the_old_key_and_the_new_one_are_good_while_they_overlap",
        ),
    ),
    Fault(
        "F40",
        "Clients",
        "An offline client sends what it had queued before an erasure",
        "every flow with the old epoch, and with a key from before",
        "409 `epoch-changed`, and nothing is written",
        (5,),
        (
            f"{_CLIENTS}::test_what_an_offline_client_sends_after_an_erasure_is_refused",
            f"{_CLIENTS}::test_a_key_from_before_an_erasure_brings_nothing_back",
        ),
    ),
)

INVARIANTS = (
    Invariant(
        1,
        "An acknowledged write is readable until it is erased or expires",
        (
            f"{_DATABASE}::test_a_write_whose_acknowledgement_was_lost_is_known_again",
            f"{_PROCESS}::test_what_was_acknowledged_is_there_after_a_crash_and_what_was_queued_is_done",
        ),
    ),
    Invariant(
        2,
        "Every fact names a turn of its user, with evidence; code sets its provenance",
        (f"{_MODELS}::test_an_extractor_that_obeys_an_attacker_gets_no_further_than_its_user",),
    ),
    Invariant(
        3,
        "After an erasure is acknowledged no path returns what was there before",
        (
            f"{_QUEUE}::test_an_answer_that_an_erasure_overtook_is_not_told",
            f"{_CRASH}::test_an_erasure_that_dies_goes_on_where_it_was",
        ),
    ),
    Invariant(
        4,
        "After it is complete no row, key or copy of it is left",
        (
            f"{_DATABASE}::test_a_sweep_goes_on_until_nothing_is_left_unprocessed",
            "tests/store/test_erasure_steps.py::test_there_is_no_receipt_while_an_index_still_shows_a_row",
        ),
    ),
    Invariant(
        5,
        "Nothing that comes later brings it back",
        (
            f"{_CLIENTS}::test_what_an_offline_client_sends_after_an_erasure_is_refused",
            f"{_QUEUE}::test_work_that_was_queued_before_an_erasure_is_left_alone",
        ),
    ),
    Invariant(
        6,
        "A turn has one set of facts, however often it is delivered",
        (
            f"{_QUEUE}::test_a_second_delivery_changes_nothing",
            f"{_CRASH}::test_an_extraction_that_dies_is_done_again_and_gives_one_set_of_facts",
        ),
    ),
    Invariant(
        7,
        "What a user gets is a function of their own history",
        ("tests/unit/test_noninterference.py::test_what_one_user_is_told_does_not_depend_on_another",),
    ),
    Invariant(
        8,
        "The latest verdict in write order stands, and verdicts are never changed",
        (
            "tests/store/test_facts.py::test_write_order_decides_even_when_verdicts_arrive_late",
            "tests/store/test_facts.py::test_verdicts_of_one_instant_are_all_kept_and_the_last_one_stands",
        ),
    ),
    Invariant(9, "Expired rows are never returned", (f"{_DATABASE}::test_what_has_expired_is_on_no_path",)),
    Invariant(
        10,
        "A memory that fails never fails an answer that could be given",
        (f"{_DATABASE}::test_an_answer_goes_on_without_the_memory_that_cannot_be_read",),
    ),
    Invariant(
        11,
        '"Noted." is said only after a commit, "nothing is recorded" only when it is true',
        (
            f"{_MODELS}::test_a_remember_only_message_is_not_noted_while_the_model_is_down",
            f"{_DATABASE}::test_what_was_told_is_not_said_to_be_nothing_while_it_cannot_be_read",
        ),
    ),
    Invariant(
        12,
        "Held facts are in no prompt",
        ("tests/api/test_gate.py::test_what_is_typed_pasted_returned_or_suggested",),
    ),
    Invariant(
        13,
        "The recalled block is one safe line a fact and closes once",
        (f"{_BLOCK}::test_a_block_is_one_line_more_than_its_facts_and_only_the_first_is_the_lead",),
    ),
    Invariant(
        14,
        "What a user says is in no log, queue or dead letter",
        (
            "tests/api/test_logs.py::test_nothing_that_was_said_reaches_the_logs_or_the_tables_in_plain",
            f"{_MODELS}::test_an_unreadable_extraction_leaves_no_text_in_the_log",
        ),
    ),
    Invariant(
        15,
        "Attempts, time and cost are bounded for every input",
        (
            f"{_DATABASE}::test_a_transaction_is_tried_five_times_at_most",
            f"{_QUEUE}::test_a_worker_gives_back_what_it_has_no_time_for",
            f"{_QUEUE}::test_a_pass_ends_with_its_time_and_the_next_one_goes_on",
        ),
    ),
    Invariant(
        16,
        "A receipt claims only what was verified",
        (f"{_DATABASE}::test_a_sweep_that_leaves_a_remainder_is_never_complete",),
    ),
    Invariant(
        17,
        "The order in which work is done does not change the facts",
        (f"{_QUEUE}::test_the_later_turn_wins_whatever_came_first",),
    ),
    Invariant(
        18,
        "An erasure touches no other user",
        ("tests/store/test_erasure.py::test_everything_of_one_user_goes_and_the_other_is_untouched",),
    ),
    Invariant(
        19,
        "A sealed value opens under its own user, generation and place alone",
        (
            "tests/store/test_foreign_rows.py::test_a_sealed_value_opens_in_its_own_place_and_in_no_other",
            "tests/store/test_foreign_rows.py::test_a_row_of_an_earlier_generation_does_not_open_in_a_later_one",
        ),
    ),
    Invariant(
        20,
        "A generation never goes down",
        (
            "tests/store/test_standing.py::test_a_lost_control_row_does_not_bring_an_erased_generation_back",
            f"{_RESTORING}::test_a_generation_never_goes_down",
        ),
    ),
)
