import { Body, Controller, Get, HttpException, Inject, Optional, Post } from '@nestjs/common';
import { Governance, type SqlTransaction } from 'nest-llm-governance';
import { Pool, type PoolClient } from 'pg';
import { ORGANIZATION } from './sessions.js';

function sqlTransaction(client: PoolClient): SqlTransaction {
  return { query: async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows };
}

@Controller('bookings')
export class BookingsController {
  constructor(
    @Inject(Pool) private readonly pool: Pool,
    @Optional() private readonly governance?: Governance,
  ) {}

  @Get()
  list(): { bookings: string[] } {
    return { bookings: ['flight'] };
  }

  @Get('teapot')
  teapot(): never {
    throw new HttpException({ kind: 'teapot' }, 418);
  }

  @Get('failing')
  fail(): never {
    throw new TypeError('not for strangers');
  }

  @Post('echo')
  echo(@Body() body: unknown): unknown {
    return body;
  }

  /** Decides and stores a booking in one transaction. */
  @Post()
  async book(@Body() { email, id }: { email: string; id: string }): Promise<{ decision: string | undefined }> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const request = { user_email: email, provider: 'openai', model: 'gpt-4o', idempotency_key: id };
      const decision = await this.governance?.decide(ORGANIZATION, request, { tx: sqlTransaction(client) });
      await client.query('insert into bookings (id) values ($1)', [id]);
      await client.query('commit');
      return { decision: decision?.id };
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }
}
