import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';

const FOLDER = import.meta.dirname;
const MAIN = join(FOLDER, 'report-figure.main.ts');
const LOADER = join(FOLDER, '..', 'support', 'runner', 'modules.mjs');

describe('the recipe for a report figure', () => {
  let answers: Record<string, unknown>;

  beforeAll(async () => {
    const options = ['--disable-warning=ExperimentalWarning', '--import', LOADER, MAIN];
    const { stdout } = await promisify(execFile)(process.execPath, options, { maxBuffer: 64 * 1024 * 1024 });
    answers = JSON.parse(stdout) as Record<string, unknown>;
  });

  it('shows the figure in the report and its CSV', () => {
    expect(answers['report']).toMatchObject({
      items: [
        { period: '2026-11-20', total_requests: 7, reasoned_requests: 3 },
        { period: '2026-11-19', total_requests: 1, reasoned_requests: 1 },
      ],
    });
    expect(answers['reportCsv']).toMatchObject([{ reasoned_requests: '3' }, { reasoned_requests: '1' }]);
  });

  it('shows the figure in the breakdown and its CSV', () => {
    expect(answers['breakdown']).toMatchObject({
      lines: [{ reasoned_requests: 4 }],
      totals: { reasoned_requests: 4 },
    });
    expect(answers['breakdownCsv']).toMatchObject([{ reasoned_requests: '1' }, { reasoned_requests: '3' }]);
  });

  it('shows the figure as the metric of a series and its CSV, for all users and for one', () => {
    expect(answers['series']).toMatchObject({ total: 4, points: [{ value: 1 }, { value: 3 }] });
    expect(answers['seriesByUser']).toMatchObject({ groups: [{ user_email: 'ada@example.com', total: 4 }] });
    expect(answers['seriesCsv']).toMatchObject([{ reasoned_requests: '1' }, { reasoned_requests: '3' }]);
  });

  it('adds the figure to the FOCUS export', () => {
    expect(answers['focusCsv']).toMatchObject([{ x_ReasonedRequests: '1' }, { x_ReasonedRequests: '3' }]);
  });

  it.each(['GovernanceUsageSummaryDto', 'GovernanceUsageFiguresDto', 'GovernanceUsageLineDto'])(
    'describes the figure in the schema %s of the OpenAPI document',
    name => {
      expect(answers['schemas']).toMatchObject({
        [name]: {
          properties: {
            reasoned_requests: {
              type: 'integer',
              description: 'Requests whose answer needed reasoning.',
              example: 12,
            },
          },
          required: expect.arrayContaining(['reasoned_requests']),
        },
      });
    },
  );

  it.each(['the line', 'the migration'])('has the code of %s that CONTRIBUTING.md shows', part => {
    const [, code = ''] = readFileSync(MAIN, 'utf8').split(`// recipe: ${part}\n`);
    const shown = code
      .split('// recipe: end')[0]!
      .replace('const REASONED: CountFigure = {', '{')
      .replace('};\n', '},\n');
    const guide = readFileSync(join(FOLDER, '..', '..', 'CONTRIBUTING.md'), 'utf8');
    const bare = (text: string) => text.replaceAll(/\s+/g, ' ');
    expect({ shown, isInGuide: bare(guide).includes(bare(shown).trim()) }).toEqual({ shown, isInGuide: true });
  });
});
