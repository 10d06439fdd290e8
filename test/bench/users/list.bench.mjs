// GET /v1/users at 1,000 and at 100,000 people: p99 of the first page and of a page deep in the list, without filters
// and with each. Exits with 1 if the p99 at 100,000 is more than 1.5 times that at 1,000.
import { call } from '../support/server.mjs';
import { addPeople } from './people.mjs';
import { compare, headline, withSites } from './sizes.mjs';

const FILTERS = {
  'no filter': '',
  'status=active': '&status=active',
  'status=suspended': '&status=suspended',
  department: '&department=Department%207',
  'department, status': '&department=Department%207&status=active',
};

await withSites(addPeople, async sites => {
  const kinds = {};
  for (const [name, filter] of Object.entries(FILTERS)) {
    const first = `/v1/users?limit=25${filter}`;
    const deep = new Map();
    for (const site of sites) deep.set(site, await deepPage(site, first));
    kinds[`${name}, first`] = site => get(site, first);
    kinds[`${name}, deep`] = site => get(site, deep.get(site));
  }
  headline('GET /v1/users');
  await compare(sites, kinds);
});

function get({ server }, path) {
  return call(server.url, server.token, 'GET', path);
}

/** A page deep in a list: after half of the list, or after 40 pages of 100. */
async function deepPage(site, path) {
  const { total_count: total } = await get(site, path);
  let page = path;
  for (let read = 0; read < Math.min(total / 2, 4_000); read += 100) {
    const { next_cursor: cursor } = await get(site, page.replace('limit=25', 'limit=100'));
    if (cursor === null) break;
    page = `${path}&cursor=${encodeURIComponent(cursor)}`;
  }
  return page;
}
