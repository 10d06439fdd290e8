import { canonicalJson, type Json, type JsonObject } from '#core';
import type { AuditEntry } from '#access';
import { auditedUser } from '../audited-user.js';
import type { User } from '../user.entity.js';

/** One audit entry for all users that a batch has created and changed, with the changed fields. */
export function auditOf(orgId: string, changed: readonly User[], before: ReadonlyMap<string, JsonObject>): AuditEntry {
  const former: JsonObject = {};
  const later: JsonObject = {};
  const created: Json[] = [];
  for (const user of changed) {
    const [was, is] = [before.get(user.id), auditedUser(user)];
    if (!was) created.push(user.id);
    else [former[user.id], later[user.id]] = differenceOf(was, is);
  }
  const hasUpdates = Object.keys(former).length > 0;
  return {
    action: 'user.imported',
    resourceType: 'organization',
    resourceId: orgId,
    before: hasUpdates ? { updated: former } : null,
    after: { ...(created.length > 0 ? { user_ids: created } : {}), ...(hasUpdates ? { updated: later } : {}) },
  };
}

function differenceOf(was: JsonObject, is: JsonObject): [JsonObject, JsonObject] {
  const keys = Object.keys(is).filter(key => canonicalJson(was[key] ?? null) !== canonicalJson(is[key] ?? null));
  const pick = (from: JsonObject): JsonObject => Object.fromEntries(keys.map(key => [key, from[key] ?? null]));
  return [pick(was), pick(is)];
}
