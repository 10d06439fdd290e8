import type { DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';
import { GithubIssuesAdapter } from './github-issues.adapter.js';

type Keys = Parameters<typeof GovernanceModule.forRoot>[0]['keys'];

/** Import this module in an application whose incidents become GitHub issues. */
export const governanceWithGithubIssues = (url: string, keys: Keys): DynamicModule =>
  GovernanceModule.forRoot({ database: { url, migrations: 'run' }, keys, itsmAdapters: [GithubIssuesAdapter] });
