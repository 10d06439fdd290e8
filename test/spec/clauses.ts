/**
 * The clauses of the interface specification that this version serves, section by section, each in a few words. Every
 * one is proven by one test whose title is `spec <section>: <clause>`; `docs/spec-coverage.md` is made from both.
 */
export const CLAUSES: Readonly<Record<string, readonly string[]>> = {
  '2.1': [
    'a policy always has id, org_id, name, action, enabled and both timestamps',
    'id is a UUID and org_id the owning organization',
    'name is required and has at most 255 characters',
    'description is optional free text',
    'model is a name or null, and null means all models',
    'action is one of allow, block, alert, require_approval',
    'conditions are optional',
    'enabled defaults to true, and disabled policies are not evaluated',
    'created_at and updated_at are ISO 8601',
  ],
  '2.2': [
    'conditions map an attribute to an operator to an operand',
    'the attribute is one of the user who asks, such as department',
    'not_in takes a list of texts and matches when the value is not in it',
    'on update, conditions replace the whole object',
  ],
  '2.3': [
    'a user has all fields of the table',
    'id is a UUID and org_id the organization of the user',
    'department is null when not assigned',
    'role is a text, such as member or admin',
    'status is active, inactive or suspended',
    'a suspended user has no access to LLMs',
    'last_active_at is null until LLM activity is recorded, then its latest time',
    'created_at and updated_at are ISO 8601',
  ],
  '2.4': [
    'a summary has user, model, provider, period and all totals',
    'user_id is a UUID, and user_email is left out where none is known',
    'usage adds up per user, model, provider and period',
    'the label of a daily period is YYYY-MM-DD',
    'total_requests, total_input_tokens and total_output_tokens are integers',
    'estimated_cost_usd is a number of US dollars from provider pricing',
  ],
  '2.5': [
    'every list has items, next_cursor and has_more',
    'next_cursor is a text and has_more true while more results follow',
    'next_cursor is null and has_more false on the last page',
    'total_count counts the matching items',
    'cursors are opaque and short-lived',
    'a cursor that was altered or made up is refused',
  ],
  '3.1': [
    'enabled=false stops evaluation, keeps the configuration and changes updated_at',
    'enabled=true evaluates the policy again',
    'a policy is created enabled unless the body says otherwise',
    'a deleted policy is gone for good',
  ],
  '3.2': ['a user moves between active, inactive and suspended'],
  '4': ['request and response bodies are JSON', 'timestamps are ISO 8601'],
  '4.1': ['200 with a page of policies', 'limit is 1 to 100 with default 25', 'cursor continues the list'],
  '4.2': [
    '201 with the created policy',
    'name and action suffice, all else is optional',
    'a given description, model, conditions and enabled are kept',
    '400 when a required field is missing',
    '400 when a value is invalid',
    'model omitted or null means all models',
  ],
  '4.3': ['200 with the policy', '404 when the id does not exist'],
  '4.4': [
    '200 with the updated policy',
    'only the supplied fields change',
    'no field is required',
    'model null means all models',
    'conditions are a replacement',
    '404 when the id does not exist',
    '400 on an invalid value',
  ],
  '4.5': ['204 with an empty body', '404 when the id does not exist', 'deletion is permanent'],
  '4.6': [
    '200 with a page of usage summaries',
    'every parameter is optional',
    'period is hourly, daily, weekly or monthly with default daily',
    'start_date and end_date are YYYY-MM-DD and inclusive',
    'user_id restricts to one user',
    'model restricts to one model',
    'cursor continues the list',
    'limit is 1 to 100 with default 25',
  ],
  '4.7': [
    '200 with a page of users',
    'status filters the list',
    'department filters the list',
    'cursor continues the list',
    'limit is 1 to 100 with default 25',
  ],
  '5': [
    'every endpoint takes Authorization: Bearer',
    '401 unauthorized for a missing token',
    '401 unauthorized for an invalid token',
    '401 unauthorized for an expired token',
  ],
  '7': [
    '400 bad_request for a missing field or an invalid value of a policy',
    '401 unauthorized on policy endpoints and usage',
    '404 not_found when a policy id does not exist',
    '429 rate_limited on policy endpoints and usage',
  ],
  '8': [
    'limit is 1 to 100 with default 25 on every list',
    'a policy name has at most 255 characters',
    'a cursor expires',
    'a cursor stays with the list and the organization that it was made for',
    'a breach of the rate limit says when to come back',
  ],
  '9': ['every endpoint has the prefix /v1'],
};

/** The title of the test that proves a clause. */
export function titleOf(section: string, clause: string): string {
  return `spec ${section}: ${clause}`;
}
