import { randomUUID } from 'node:crypto';

const MODELS = [
  ['openai', 'gpt-4o'],
  ['anthropic', 'claude-sonnet-4-20250514'],
  ['google', 'gemini-2.5-pro'],
];
const PEOPLE = 140;
const SKEW = 1.3;
const TEN_MINUTES = 600_000;

/** Email addresses of the people of the workload, the most active first. */
export const EMAILS = Array.from({ length: PEOPLE }, (_, number) => `person${number}@people.example`);

// The person of a request: a few people send most requests. In one hour of the published ServeGen trace about 140
// clients are active, the first has 30 % of the requests, the second 11 %, and 1,000 requests come from about 65 of
// them. A Zipf law with exponent 1.3 over 140 people gives 34 %, 14 % and about 70.
const steps = EMAILS.map((_, rank) => 1 / (rank + 1) ** SKEW);
const total = steps.reduce((sum, step) => sum + step, 0);
let reached = 0;
const CUMULATIVE = steps.map(step => (reached += step / total));

/** A batch in the form in which a gateway sends it: the latest requests of the people of one organization. */
export function batchOf(size, now) {
  return Array.from({ length: size }, () => {
    const share = Math.random();
    const rank = CUMULATIVE.findIndex(bound => share <= bound);
    return event(EMAILS[rank === -1 ? 0 : rank], rank % MODELS.length, now);
  });
}

/** The worst case: no two events have a person and model in common. */
export function batchOfStrangers(size, emails, now) {
  return Array.from({ length: size }, (_, index) => event(emails[index % emails.length], index % MODELS.length, now));
}

function event(email, modelNumber, now) {
  const [provider, model] = MODELS[Math.max(modelNumber, 0)];
  return {
    id: randomUUID(),
    user_email: email,
    provider,
    model,
    occurred_at: new Date(now - Math.floor(Math.random() * TEN_MINUTES)).toISOString(),
    input_tokens: 200 + Math.floor(Math.random() * 4_000),
    output_tokens: 20 + Math.floor(Math.random() * 800),
  };
}
