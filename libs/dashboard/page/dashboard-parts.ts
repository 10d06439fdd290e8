import { Injectable, Logger, type OnModuleInit, type Provider, type Type } from '@nestjs/common';
import type { DashboardStructure } from '../dashboard.options.js';
import { pageControllers } from './page.controllers.js';
import { PageFiles } from './page-files.js';

/** What a page adds to the library: its routes, and what these need. */
export interface DashboardParts {
  readonly controllers: Type<unknown>[];
  readonly providers: Provider[];
}

/** Says why there is no page where the host wants one. */
@Injectable()
class ClosedPage implements OnModuleInit {
  onModuleInit(): void {
    new Logger('Governance').warn(
      'The dashboard is not served: its option `dashboard` says neither who may see it (resolveUser and resolveAccess) ' +
        'nor that people sign in on it (sessions: true).',
    );
  }
}

/**
 * The parts of the page where the host wants one; without a way to sign in there is none.
 * @throws Error where sessions cannot work at the given path
 */
export function dashboardParts(given: DashboardStructure | undefined): DashboardParts {
  if (given === undefined) return { controllers: [], providers: [] };
  if (given.sessions !== true) return { controllers: [], providers: [ClosedPage] };
  const path = (given.path ?? '').split('/').filter(Boolean).join('/');
  if (path !== '') {
    throw new Error(
      'dashboard: with `sessions`, leave `path` out; the cookie is sent only to addresses beside the page. Set `path` of ' +
        'the module instead.',
    );
  }
  const { folder } = given;
  return {
    controllers: pageControllers({ path, signIn: ['token'] }),
    providers: [{ provide: PageFiles, useFactory: () => new PageFiles(folder) }],
  };
}
