import { Injectable } from '@nestjs/common';
import { SecretUnreadableError, within } from '#core';
import { AdapterHttpError } from '../adapter/adapter-http.js';
import type { AdapterContext, Check, ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { AdapterMissingError } from '../connectors/connector.errors.js';
import { Redaction } from '../decide/shown-text.js';
import { readBack, type TestTicket } from './read-back.js';
import { TicketAttempts, type ReadyConnector } from './ticket-attempts.js';

/** Time limit of all checks together. It allows for several slow requests one after the other. */
const TIMEOUT_MS = 60_000;

/** Checks through the adapter whether a connector can create tickets. */
@Injectable()
export class ConnectorChecks {
  constructor(
    private readonly adapters: AdapterRegistry,
    private readonly attempts: TicketAttempts,
  ) {}

  /** Runs the checks, which only read from the platform. @throws AdapterMissingError */
  async run(connector: ReadyConnector): Promise<Check[]> {
    return this.look(connector, (adapter, context) => adapter.verify(context));
  }

  /** Checks whether the account can see a ticket that it has just created. @throws AdapterMissingError */
  async readBack(connector: ReadyConnector, ticket: TestTicket): Promise<Check[]> {
    return this.look(connector, (adapter, context) => readBack(adapter, context, ticket));
  }

  private async look(
    { kind, settings, secrets }: ReadyConnector,
    look: (adapter: ItsmAdapter, context: AdapterContext<object, object>) => Promise<Check[]>,
  ): Promise<Check[]> {
    const adapter = this.adapters.named(kind);
    if (!adapter) throw new AdapterMissingError(kind);
    if (secrets instanceof SecretUnreadableError) {
      return [{ name: 'The secrets can be read', status: 'failed', message: 'Enter them again.' }];
    }
    const redaction = new Redaction(secrets);
    const context = this.attempts.contextOf(adapter, settings, secrets);
    const checks = await within(TIMEOUT_MS, look(adapter, context)).catch(failed);
    return checks.map(({ name, status, message }) => ({
      name: redaction.of(name),
      status,
      message: redaction.of(message),
    }));
  }
}

function failed(error: unknown): Check[] {
  const message =
    error instanceof AdapterHttpError ? error.message : 'The adapter failed, or did not finish within a minute.';
  return [{ name: 'The platform answers', status: 'failed', message }];
}
