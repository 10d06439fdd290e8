import { Injectable } from '@nestjs/common';
import { CallLedger, type CallProgress, type CallRecord, type CallUsage, eventOf, plainEventOf } from '#calls';
import { ReleaseService } from '#policy';
import { UsageIngestion } from '#usage';

/** Records the usage of calls at once. Writes nothing ahead, because tests do not have to survive a crash. */
@Injectable()
export class CallsInMemory extends CallLedger {
  constructor(
    private readonly usage: UsageIngestion,
    private readonly releases: ReleaseService,
  ) {
    super();
  }

  override async cover(): Promise<void> {}

  override async settle(call: CallRecord, usage: CallUsage, { outputTokens }: CallProgress): Promise<void> {
    const reporter = { tokenId: call.tokenId };
    const { rejected } = await this.usage.record(call.orgId, [eventOf(call, usage, outputTokens)], { reporter });
    if (rejected.length > 0) {
      await this.usage.record(call.orgId, [plainEventOf(call, usage, outputTokens)], { reporter });
    }
  }

  override async release({ orgId, decision }: CallRecord): Promise<void> {
    if (decision) await this.releases.release(orgId, decision.id);
  }

  /** Does nothing, because no usage is buffered. */
  override async flush(): Promise<void> {}
}
