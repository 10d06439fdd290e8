import { Body, Controller, Inject, NotFoundException, Post } from '@nestjs/common';
import { Governance, OrganizationNotFoundError, type SqlTransaction } from 'nest-llm-governance';
import { Pool, type PoolClient } from 'pg';

interface Call {
  readonly orgId: string;
  readonly email: string;
  readonly id: string;
}

function sqlTransaction(client: PoolClient): SqlTransaction {
  return { query: async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows };
}

@Controller('calls')
export class CallsController {
  constructor(
    @Inject(Pool) private readonly pool: Pool,
    private readonly governance: Governance,
  ) {}

  /** Decides, reports usage and stores a call in one transaction. */
  @Post()
  async make(@Body() call: Call): Promise<{ decision: string; accepted: number }> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      const made = await this.governed(call, sqlTransaction(client));
      await client.query('insert into calls (id) values ($1)', [call.id]);
      await client.query('commit');
      return made;
    } catch (error) {
      await client.query('rollback');
      if (error instanceof OrganizationNotFoundError) throw new NotFoundException(error.message);
      throw error;
    } finally {
      client.release();
    }
  }

  private async governed(
    { orgId, email, id }: Call,
    tx: SqlTransaction,
  ): Promise<{ decision: string; accepted: number }> {
    const asked = { user_email: email, provider: 'openai', model: 'gpt-4o' };
    const decision = await this.governance.decide(orgId, { ...asked, idempotency_key: id }, { tx });
    const event = { id, ...asked, occurred_at: new Date().toISOString(), input_tokens: 10, output_tokens: 5 };
    const { accepted } = await this.governance.recordUsage(orgId, [event], { tx });
    return { decision: decision.id, accepted };
  }
}
