import type { Provider } from '@nestjs/common';
import { AskedTickets } from './asked-tickets.js';
import { ReconcileJob } from './reconcile.job.js';
import { DueConnectors } from './due-connectors.js';
import { Reconciliation } from './reconciliation.js';

/** Providers that poll platforms for the status of tickets. */
export const reconcileProviders: Provider[] = [AskedTickets, DueConnectors, Reconciliation, ReconcileJob];
