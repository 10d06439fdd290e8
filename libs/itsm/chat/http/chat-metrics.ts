import { metrics } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import { GovernanceError, METER, type ErrorCode } from '#core';

const REASONS: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'signature',
  payload_too_large: 'size',
  bad_request: 'body',
  unsupported_media_type: 'body',
  not_found: 'platform',
  rate_limited: 'rate',
};

/** OpenTelemetry counters of chat commands. */
@Injectable()
export class ChatMetrics {
  private readonly commands = metrics.getMeter(METER).createCounter('governance.chat.commands', {
    description: 'Chat commands received, and the reasons of refusals',
    unit: '{command}',
  });

  /** Counts an accepted command. */
  count(platform: string): void {
    this.commands.add(1, { 'governance.outcome': 'accepted', 'governance.platform': platform });
  }

  /** Counts a request that got an error as its answer. */
  countRefusal(thrown: unknown): void {
    const reason = (thrown instanceof GovernanceError ? REASONS[thrown.code] : undefined) ?? 'failure';
    this.commands.add(1, { 'governance.outcome': 'refused', 'governance.reason': reason });
  }
}
