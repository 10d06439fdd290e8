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

@ApiExcludeController()
@GovernanceController('v1/planted', 'Planted')
class PlantedController {
  @Get('rows')
  @Requires('users:read')
  @ApiPage(Row)
  rows(@Query() query: PageQueryDto): Page<Row> {
    return pageOf(query);
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

function pageOf({ cursor = '0', limit = 25 }: PageQueryDto): Page<Row> {
  const [from, to] = [Number(cursor), Math.min(Number(cursor) + limit, ROWS)];
  const items = Array.from({ length: to - from }, (_, at) => ({ name: `=${from + at}`, level: -1 }));
  return { items, next_cursor: to < ROWS ? String(to) : null, has_more: to < ROWS };
}

describe.each(['express', 'fastify'] as const)('a list as CSV on %s', platform => {
  let app: TestApp;

  beforeAll(async () => {
    const adapter = platform === 'fastify' ? { adapter: new FastifyAdapter() } : {};
    app = await startTestApp({ planted: [PlantedController], ...adapter });
  });

  afterAll(() => app?.close());

  const get = (path: string) => app.call('GET', `/v1/planted/${path}`, undefined, { accept: 'text/csv' });

  it('has the rows of all pages, without formulas', async () => {
    const { status, headers, text } = await get('rows?limit=3&cursor=7');
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="rows.csv"']);
    const rows = Array.from({ length: ROWS }, (_, at) => `'=${at},-1\r\n`);
    expect(text).toBe(`name,level\r\n${rows.join('')}`);
  });

  it('breaks the connection where a later page fails', async () => {
    await expect(get('broken')).rejects.toThrow('terminated');
  });

  it('answers with an error where the first page fails', async () => {
    expect(await get('failing')).toMatchObject({ status: 500, body: { error: 'internal' } });
  });
});
