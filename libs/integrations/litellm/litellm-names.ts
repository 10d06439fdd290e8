import { isStorableText } from '#core';
import { namedPerson, type NamedPerson } from '../people/named-person.js';
import { memberOf } from '../records.js';
import { reportedDimensions } from '../reported-dimensions.js';

/** Provider for calls whose provider LiteLLM does not name. The price is then found by the prefix of the model. */
const UNKNOWN_PROVIDER = 'litellm';

const CALL_ID_MAX = 200;
/**
 * Fields with the person of the key come first. The caller sets the end user, so it counts only if the key names no
 * person.
 */
const PERSON_FIELDS = ['user_api_key_user_email', 'user_api_key_user_id', 'user_api_key_end_user_id'] as const;

/** The person of LiteLLM's key: the first field that contains an e-mail address or a UUID. */
export function personOfKey(metadata: unknown, endUser?: unknown): NamedPerson | undefined {
  for (const field of PERSON_FIELDS) {
    const person = namedPerson(memberOf(metadata, field));
    if (person) return person;
  }
  return namedPerson(endUser);
}

/** Fields with the project of the key. The name comes first, then the id. */
const PROJECT_FIELDS = ['user_api_key_project_alias', 'user_api_key_project_id'] as const;
/** A tag that LiteLLM adds itself. It names the client's program. */
const OWN_TAG = 'User-Agent';

/**
 * The project of LiteLLM's key, and tags of the request. Only tags that consist of a key and a value are used:
 * `team:search`.
 */
export function dimensionsOf(metadata: unknown, tags?: unknown): object {
  const all: readonly unknown[] = Array.isArray(tags) ? tags : [];
  const pairs = all.flatMap(tag => {
    const at = typeof tag === 'string' ? tag.indexOf(':') : -1;
    if (typeof tag !== 'string' || at < 1) return [];
    const key = tag.slice(0, at).trim();
    return key === OWN_TAG ? [] : [[key, tag.slice(at + 1).trim()] as const];
  });
  const projects = PROJECT_FIELDS.map(field => memberOf(metadata, field));
  return reportedDimensions(projects, pairs);
}

/**
 * Determines provider and model from LiteLLM's two names. The name of the model may begin with the provider:
 * `openai/gpt-4o`.
 */
export function providerAndModel(provider: unknown, model: unknown): { provider: unknown; model: unknown } {
  if (typeof model !== 'string') return { provider: provider ?? UNKNOWN_PROVIDER, model };
  const slash = model.indexOf('/');
  const [prefix, rest] = [model.slice(0, Math.max(slash, 0)), model.slice(slash + 1)];
  if (typeof provider === 'string' && provider !== '') return { provider, model: prefix === provider ? rest : model };
  return slash > 0 && rest !== '' ? { provider: prefix, model: rest } : { provider: UNKNOWN_PROVIDER, model };
}

/**
 * The idempotency key of the decision about a call. The log entry of the call contains the same key. Undefined without
 * a valid id.
 */
export function keyOfCall(callId: unknown): string | undefined {
  const isUsable =
    typeof callId === 'string' && callId !== '' && callId.length <= CALL_ID_MAX && isStorableText(callId);
  return isUsable ? `litellm:${callId}` : undefined;
}
