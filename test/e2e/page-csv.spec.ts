import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Get, Query } from '@nestjs/common';
import { ApiExcludeController, ApiProperty } from '@nestjs/swagger';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ApiPage, GovernanceController, PageQueryDto, Requires } from '#access';
import type { Page } from '#core';
import { startTestApp, type TestApp } from '../support/test-app.js';

class Row {
  @ApiProperty()
  name!: string;
  @ApiProperty()
  level!: number;
}

const ROWS = 250;
const MANY = 100_001;
/** Releases the delayed lists. */
let held = Promise.withResolvers<void>();

@ApiExcludeController()
@GovernanceController('v1/planted', 'Planted')
class PlantedController {
  @Get('rows')
  @Requires('users:read')
  @ApiPage(Row)
  rows(@Query() query: PageQueryDto): Page<Row> {
    return pageOf(query);
  }

  @Get('many')
  @Requires('users:read')
  @ApiPage(Row)
  many(@Query() query: PageQueryDto): Page<Row> {
    return pageOf(query, MANY);
  }

  /** A long list, whose second page is delayed. */
  @Get('held')
  @Requires('users:read')
  @ApiPage(Row)
  async held(@Query() query: PageQueryDto): Promise<Page<Row>> {
    if (query.cursor !== undefined) await held.promise;
    return { ...pageOf(query), total_count: 10_001 };
  }

  @Get('broken')
  @Requires('users:read')
  @ApiPage(Row)
  broken(@Query() query: PageQueryDto): Page<Row> {
    if (query.cursor !== undefined) throw new Error('The second page fails.');
    return pageOf(query);
  }

  @Get('failing')
  @Requires('users:read')
  @ApiPage(Row)
  failing(): Page<Row> {
    throw new Error('The first page fails.');
  }
}

function pageOf({ cursor = '0', limit = 25 }: PageQueryDto, rows = ROWS): Page<Row> {
  const [from, to] = [Number(cursor), Math.min(Number(cursor) + limit, rows)];
  const items = Array.from({ length: to - from }, (_, at) => ({ name: `=${from + at}`, level: -1 }));
  return { items, next_cursor: to < rows ? String(to) : null, has_more: to < rows };
}

describe.each(['express', 'fastify'] as const)('a list as CSV on %s', platform => {
  let app: TestApp;

  beforeAll(async () => {
    const adapter = platform === 'fastify' ? { adapter: new FastifyAdapter() } : {};
    app = await startTestApp({ planted: [PlantedController], ...adapter });
  });

  afterAll(() => app?.close());

  const get = (path: string) => app.call('GET', `/v1/planted/${path}`, undefined, { accept: 'text/csv' });

  it('has the rows of all pages, with formulas escaped', async () => {
    const { status, headers, text } = await get('rows?limit=3&cursor=7');
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="rows.csv"']);
    const rows = Array.from({ length: ROWS }, (_, at) => `'=${at},-1\r\n`);
    expect(text).toBe(`name,level\r\n${rows.join('')}`);
  });

  it('is complete, whatever its length', async () => {
    const lines = (await get('many')).text.split('\r\n');
    expect([lines.length, lines[1], lines.at(-2)]).toEqual([MANY + 2, "'=0,-1", `'=${MANY - 1},-1`]);
  });

  it('is refused while five other long lists of the organization are being sent', async () => {
    held = Promise.withResolvers();
    // Each answer sends its headers, and then waits for its second page.
    const address = `${app.url}/v1/planted/held`;
    const headers = { authorization: `Bearer ${app.adminToken}`, accept: 'text/csv' };
    const underWay = await Promise.all(Array.from({ length: 5 }, () => fetch(address, { headers })));
    expect(underWay.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const refused = await get('held');
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toBe('10');
    // Short lists are never refused.
    expect((await get('rows')).status).toBe(200);
    held.resolve();
    for (const answer of underWay) expect((await answer.text()).split('\r\n')).toHaveLength(ROWS + 2);
    expect((await get('held')).status).toBe(200);
  });

  it('closes the connection if a later page fails', async () => {
    await expect(get('broken')).rejects.toThrow('terminated');
  });

  it('answers with an error if the first page fails', async () => {
    expect(await get('failing')).toMatchObject({ status: 500, body: { error: 'internal' } });
  });
});
