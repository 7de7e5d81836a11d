"""The prose of docs/cost.md. Figures are filled in from the results."""

BEFORE = """\
# What a deployment costs, and what it bears

This page is written by `python -m evals load page --results evals/results` from two measurements; change
those, not this.

- Idle, the default deployment costs {idle:.2f} US dollars a month.
- A million turns cost about {all_turns} dollars with Claude Haiku 4.5, {memory_turns} without the model
  that answers, and {bare_turns} without any model, at a million users (`python -m evals load cost`).
- At the assumed activity the first quota to bite is {first}. Of the settings of the stack it is
  {first_setting}; of what stands in the code, {first_code}.
- {held}"""

ACTIVITY = """\
## What a call asks for

    .venv/bin/python -m evals load cost --results evals/results

The real functions are called one by one over DynamoDB Local, and everything that they ask of a service is
counted at its client: units as DynamoDB Local reports them, indexes included; calls of KMS; messages;
tokens as the stand-in counts them, four characters each; lines of the log. A user has {facts:g} facts with
vectors of 1,024 dimensions; four of ten turns state a fact. The first number is *cold*: the container has
not served this user within five minutes, so it opens the data key and reads the index. In brackets is
*warm*. All prices and quotas below are worked out cold, since that is what nearly every call is among many
users. Counted on {date}.

What a user does in a month is assumed: {turns:g} turns in {conversations:g} conversations, after each a
look at what was saved, {recalls:g} recalls, {fact_lists:g} lists of facts and {turn_lists:g} of turns,
{told:g} own fact, {judged:g} verdicts, and one erasure in a hundred. So is what only AWS could tell: an
answer takes {answer:g} ms, an extraction or an episode {background_model:g} ms, an embedding
{embedding:g} ms, a round trip to DynamoDB {round_trip:g} ms; a look at what was saved waits
{saved_wait:g} ms. Functions have 1,024 MB; their own processor time is counted here and stretched to
their share of a processor."""

QUOTAS = """\
## Which quota bites first

The busiest second is taken to have {peak:g} times the load of the mean one; what waits in a queue or for a
sweep is held against the mean. Quotas of AWS are the defaults of us-east-1."""

PEERS = """\
## Beside others

The same activity, at list prices. **These do not do the same things**, so none of the numbers is a verdict:
the last column says what differs. The model that answers is in nobody's price."""

LIMITS = """\
## What this cannot show

- Nothing here ran on AWS. Units and tokens are counted; times on Lambda, cold starts, throttling and what a
  cache of a provider finds are not. A cold start adds its import to Lambda's time, and is not in the price.
- Summaries are not in the price: a conversation of ten turns is not cut. Episodes are, and the
  consolidation of new facts that resemble others.
- The prompts are those of short turns. Longer ones cost more, and are cached from 4,096 tokens on.
- Free tiers, discounts, savings plans and support are left out, and volumes are priced without their lower
  tiers, except API Gateway's. The column of 100 million users is a proportion, not an offer: nobody pays
  list prices there.
- The activity is a guess. Prices are linear in it: `evals/load/bill.py` takes another one.
- A table that grows fast is throttled until DynamoDB has split its partitions, whatever the quotas say. The
  sweeps of the outbox and of erasures are one call a minute each; what they cannot take waits, and the
  runbook's alarms tell of it."""
