import type { EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { normalLabel } from '../prices/index.js';
import type { PriceAliasTerms } from './price-record.entity.js';

interface Name {
  provider: string | null;
  model: string;
}

const NAMED = `
select provider, model, target_provider as "targetProvider", target_model as "targetModel"
from ${SCHEMA}.prices where org_id = $1 and kind = 'alias' and lower(model) = lower($2)`;

/**
 * Refuses an alias that would close a cycle of the organization's aliases. Ignores aliases whose name is a pattern,
 * because a pattern may match its own target. The caller prevents concurrent changes of prices.
 * @throws BadRequestError that names the cycle
 */
export async function refuseAliasCycle(em: EntityManager, orgId: string, alias: PriceAliasTerms): Promise<void> {
  const path: Name[] = [];
  let at: Name = { provider: alias.targetProvider, model: alias.targetModel };
  while (!path.some(known => isNamed(known, at))) {
    path.push(at);
    const { model, provider } = at;
    const found = await sqlOf(em).query<PriceAliasTerms>(NAMED, [orgId, model]);
    // The entry that is being written will replace its stored version.
    const others = found.filter(other => !isSame(other, alias) && isNamed(other, { provider, model }));
    const next = others.find(other => other.provider !== null) ?? others[0];
    if (!next) return;
    at = { provider: next.targetProvider, model: next.targetModel };
    if (!isNamed(alias, at)) continue;
    const names = path.map(name => `${name.provider}/${name.model}`).join(', ');
    throw BadRequestError.field('alias', `leads back to the model itself, by ${names}; name a model of the catalogue`);
  }
}

/** Whether an entry without a pattern applies to a model of a provider. */
function isNamed(entry: Name, { provider, model }: Name): boolean {
  const isProvider = entry.provider === null || normalLabel(entry.provider) === normalLabel(provider);
  return isProvider && entry.model.toLowerCase() === model.toLowerCase();
}

function isSame(one: Name, other: Name): boolean {
  return (
    one.provider?.toLowerCase() === other.provider?.toLowerCase() &&
    one.model.toLowerCase() === other.model.toLowerCase()
  );
}
