import { Injectable, type OnModuleInit, type Provider } from '@nestjs/common';
import { Clock } from '#core';
import { OutboxWorker } from '#outbox';
import { ITSM_OPTIONS, type ItsmOptions } from '../itsm.options.js';
import { ConnectorBreaker } from './connector-breaker.js';
import { ConnectorChecks } from './connector-checks.js';
import { ConnectorProblems } from './connector-problems.js';
import { ConnectorTest } from './connector-test.js';
import { ReadyConnectors } from './ready-connectors.js';
import { TestAttempt, TestTickets } from './test-tickets.js';
import { TicketAttempts } from './ticket-attempts.js';
import { TicketLedger } from './ticket-ledger.js';
import { TicketJob } from './ticket.job.js';

/** Providers of the job that opens tickets. */
@Injectable()
class TicketWiring implements OnModuleInit {
  constructor(
    private readonly worker: OutboxWorker,
    private readonly job: TicketJob,
  ) {}

  onModuleInit(): void {
    this.worker.addJob(this.job);
  }
}

/** Providers that call platforms. */
export const deliveryProviders: Provider[] = [
  ReadyConnectors,
  ConnectorBreaker,
  TicketAttempts,
  ConnectorProblems,
  TicketLedger,
  TestAttempt,
  TestTickets,
  ConnectorChecks,
  ConnectorTest,
  {
    provide: TicketJob,
    inject: [ReadyConnectors, ConnectorBreaker, ConnectorProblems, TicketAttempts, TicketLedger, Clock, ITSM_OPTIONS],
    useFactory: (
      connectors: ReadyConnectors,
      breaker: ConnectorBreaker,
      problems: ConnectorProblems,
      attempts: TicketAttempts,
      ledger: TicketLedger,
      clock: Clock,
      options: ItsmOptions,
    ) => new TicketJob({ connectors, breaker, problems, attempts, ledger, clock }, options),
  },
  TicketWiring,
];
