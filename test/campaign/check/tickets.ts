import type { Rule } from './rule.js';

interface TicketRow {
  id: string;
  incident: string;
  connector: string;
  name: string | null;
  state: string | null;
}

// Connectors without routing open a ticket for every incident.
const TICKETS = `
select coalesce(t.id::text, '') as id, i.id as incident, c.kind as connector, t.external_ticket_id as name, t.sync_state as state
from governance.incidents i cross join governance.itsm_connectors c
left join governance.tickets t on t.org_id = i.org_id and t.incident_id = i.id and t.connector_id = c.id
where i.org_id = $1 and c.org_id = $1`;

const MISSING: Rule = {
  name: 'no ticket is missing',
  check: async ({ rows, stock: { tickets } }) => {
    const there = new Set(tickets.map(({ platform, name }) => `${platform} ${name}`));
    const wanted = await rows<TicketRow>(TICKETS);
    const violations = wanted.flatMap(({ incident, connector, name, state }) => {
      if (state !== 'created') return [`the ticket of incident ${incident} at ${connector} is ${state ?? 'not there'}`];
      return there.has(`${connector} ${name}`) ? [] : [`${connector} has no ${name}, of incident ${incident}`];
    });
    return { examined: wanted.length, violations };
  },
};

/** The emulators' searches have no delay, so a second ticket with the same key would break the guarantee. */
const DOUBLED: Rule = {
  name: 'no ticket is doubled',
  check: async ({ rows, stock: { tickets } }) => {
    const known = new Map((await rows<TicketRow>(TICKETS)).map(row => [`${row.connector} ${row.name}`, row.id]));
    const doubled = [...Map.groupBy(tickets, ({ platform, key }) => `${platform}: ${key}`)]
      .filter(([, same]) => same.length > 1)
      .map(([key, same]) => `${key} is there ${same.length} times: ${same.map(({ name }) => name).join(', ')}`);
    const unknown = tickets
      .filter(({ platform, name, key }) => known.get(`${platform} ${name}`) !== key)
      .map(({ platform, name, key }) => `${platform} holds ${name} for ${key}, which the database does not know by it`);
    return { examined: tickets.length, violations: [...doubled, ...unknown] };
  },
};

export const TICKET_RULES: readonly Rule[] = [MISSING, DOUBLED];
