import { Injectable, Logger, type OnModuleInit, type Provider, type Type } from '@nestjs/common';
import type { DashboardStructure } from '../dashboard.options.js';
import { HOST_SIGN_IN, type HostSignIn } from '../host/host-sign-in.js';
import { HostVisitors } from '../host/host-visitors.js';
import { pageControllers } from './page.controller.js';
import { PageFiles } from './page-files.js';

/** Controllers and providers of the page. */
export interface DashboardParts {
  readonly controllers: Type<unknown>[];
  readonly providers: Provider[];
}

/** Logs why the page is not served. */
@Injectable()
class ClosedPage implements OnModuleInit {
  onModuleInit(): void {
    new Logger('Governance').warn(
      'The dashboard is not served, because the option `dashboard` names no way to sign in. Set `sessions: true`, or give ' +
        'both resolveUser and resolveAccess.',
    );
  }
}

/**
 * The parts of the page if the host configured the page; empty without a way to sign in.
 * @param modulePath the module's own path
 * @throws Error if two ways to sign in exclude each other, or one of them does not work at this path
 */
export function dashboardParts(given: DashboardStructure | undefined, modulePath = ''): DashboardParts {
  if (given === undefined) return { controllers: [], providers: [] };
  const path = pathOf(given);
  const { resolveUser, resolveAccess, folder } = given;
  const files: Provider = { provide: PageFiles, useFactory: () => new PageFiles(folder) };
  if (given.sessions === true) {
    refuseBoth(given);
    refusePath(path);
    return { controllers: pageControllers({ path, modulePath, signIn: ['token'] }), providers: [files] };
  }
  if (!resolveUser || !resolveAccess) return { controllers: [], providers: [ClosedPage] };
  const host: HostSignIn = { resolveUser, resolveAccess };
  return {
    controllers: pageControllers({ path, modulePath, signIn: ['host'] }),
    providers: [files, { provide: HOST_SIGN_IN, useValue: host }, HostVisitors],
  };
}

/** Path of the page below the module's own path, without leading and trailing slashes; null if no page is served. */
export function dashboardPath(given: DashboardStructure | undefined): string | null {
  const isServed = given?.sessions === true || (given?.resolveUser && given.resolveAccess);
  return given && isServed ? pathOf(given) : null;
}

function pathOf({ path = '' }: DashboardStructure): string {
  return path.split('/').filter(Boolean).join('/');
}

function refuseBoth({ resolveUser, resolveAccess }: DashboardStructure): void {
  if (!resolveUser && !resolveAccess) return;
  throw new Error(
    'dashboard: either people sign in on the page (sessions: true) or the host signs them in (resolveUser and ' +
      'resolveAccess). Leave out one of the two.',
  );
}

function refusePath(path: string): void {
  if (path === '') return;
  throw new Error(
    'dashboard: with `sessions`, leave `path` out; the cookie is sent only to addresses beside the page. Set `path` of ' +
      'the module instead.',
  );
}
