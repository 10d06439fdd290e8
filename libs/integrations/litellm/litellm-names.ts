import { isStorableText } from '#core';
import { namedPerson, type NamedPerson } from '../people/named-person.js';
import { memberOf } from '../records.js';
import { reportedDimensions } from '../reported-dimensions.js';

/** Replaces a provider that LiteLLM does not name. Prices then use the model's prefix. */
const UNKNOWN_PROVIDER = 'litellm';

const CALL_ID_MAX = 200;
/** The person of the key comes first. The end user is set by the caller and counts only if the key names no person. */
const PERSON_FIELDS = ['user_api_key_user_email', 'user_api_key_user_id', 'user_api_key_end_user_id'] as const;

/** The person of LiteLLM's key: its first field that contains an email address or a UUID. */
export function personOfKey(metadata: unknown, endUser?: unknown): NamedPerson | undefined {
  for (const field of PERSON_FIELDS) {
    const person = namedPerson(memberOf(metadata, field));
    if (person) return person;
  }
  return namedPerson(endUser);
}

/** The project of the key: its name, or else its id. */
const PROJECT_FIELDS = ['user_api_key_project_alias', 'user_api_key_project_id'] as const;
/** LiteLLM's own tag for the client's program. */
const OWN_TAG = 'User-Agent';

/** The project of LiteLLM's key, and those of the request's tags that are a key and a value: `team:search`. */
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

/** Provider and model from LiteLLM's two names. The model may begin with the provider: `openai/gpt-4o`. */
export function providerAndModel(provider: unknown, model: unknown): { provider: unknown; model: unknown } {
  if (typeof model !== 'string') return { provider: provider ?? UNKNOWN_PROVIDER, model };
  const slash = model.indexOf('/');
  const [prefix, rest] = [model.slice(0, Math.max(slash, 0)), model.slice(slash + 1)];
  if (typeof provider === 'string' && provider !== '') return { provider, model: prefix === provider ? rest : model };
  return slash > 0 && rest !== '' ? { provider: prefix, model: rest } : { provider: UNKNOWN_PROVIDER, model };
}

/**
 * The idempotency key of the decision about a call. The log entry of the call has the same one. Undefined without a
 * usable id.
 */
export function keyOfCall(callId: unknown): string | undefined {
  const isUsable =
    typeof callId === 'string' && callId !== '' && callId.length <= CALL_ID_MAX && isStorableText(callId);
  return isUsable ? `litellm:${callId}` : undefined;
}
