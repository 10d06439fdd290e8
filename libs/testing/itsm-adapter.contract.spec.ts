import { describe, expect, it, jest } from '@jest/globals';
import type { Json } from '#core';
import {
  AcmeDeskAdapter,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { LimitedDeskAdapter } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.limits.js';
import { acmeDeskGround } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.contract.js';
import {
  BROKEN,
  FRAGMENT,
  NOT_GONE,
  NO_ANSWER,
  NO_WORD,
  REPEATED,
  SIGNED,
} from '../../test/support/itsm/broken-adapters.js';
import * as forms from '../../test/support/itsm/broken-forms.js';
import * as texts from '../../test/support/itsm/broken-texts.js';
import * as updates from '../../test/support/itsm/broken-updates.js';
import {
  endlessGround,
  ResolvingDeskAdapter,
  UpdatingDeskAdapter,
  updatingGround,
} from '../../test/support/itsm/updating-desk.js';
import * as signing from '../../test/support/itsm/signing-desks.js';
import { IdempotentDesk, idempotentDesk } from '../../test/support/itsm/idempotent-desk.js';
import * as limits from '../../test/support/itsm/limited-desk.js';
import * as bodies from '../../test/support/itsm/other-bodies.js';
import * as moving from '../../test/support/itsm/moving-desk.js';
import { FirstPageOnly, PagedDesk, pagedGround } from '../../test/support/itsm/paged-desk.js';
import * as modest from '../../test/support/itsm/modest-adapters.js';
import { itsmAdapterContract, type ContractCase, type ItsmAdapterGround } from './index.js';

type Ground = ReturnType<typeof acmeDeskGround>;
type AnyGround = ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets, Json>;

/** Adapters, with their platforms, that differ from Acme Desk in some respect. */
const PLATFORMS: [new () => AcmeDeskAdapter, (ground: Ground) => AnyGround][] = [
  [bodies.ListDesk, bodies.listGround],
  [bodies.BodyKeyDesk, bodies.bodyKeyGround],
  [bodies.RefusingDesk, bodies.refusingGround],
  [LimitedDeskAdapter, limits.limitedGround],
  [limits.LimitAsRefusedChange, limits.limitedUpdatingGround],
  [forms.ObjectSetting, forms.objectSettingGround],
  [IdempotentDesk, ground => ({ ...ground, http: idempotentDesk(ground.http) })],
  [texts.HtmlDesk, texts.htmlGround],
  [texts.MarkdownDesk, ground => ({ ...ground, shows: 'markdown' })],
  [updates.WithoutFinalStatus, endlessGround],
  [moving.MovingDesk, moving.movingGround],
  [FirstPageOnly, pagedGround],
  [UpdatingDeskAdapter, ground => updatingGround(ground)],
  [signing.SecretDesk, ground => ({ ...ground, signs: signing.deskSecret, signsBody: false })],
  [signing.Undeclared, ground => ({ ...ground, signs: signing.deskSecret })],
  [signing.Overdeclared, ground => ({ ...ground, signsBody: false })],
  [signing.TogetherDesk, ground => ({ ...ground, signsTogether: true })],
];

function contractOf(Adapter: new () => AcmeDeskAdapter, foundWithinMs = 0): readonly ContractCase[] {
  return itsmAdapterContract((): AnyGround => {
    const signs = signing.deskSignature;
    const ground: Ground = { ...acmeDeskGround(() => new Adapter()), foundWithinMs, signs };
    const platform = PLATFORMS.find(([Desk]) => new Adapter() instanceof Desk);
    return platform ? platform[1](ground) : ground;
  });
}

async function failuresOf(Adapter: new () => AcmeDeskAdapter, foundWithinMs = 0): Promise<string[]> {
  const failures: string[] = [];
  for (const { title, run } of contractOf(Adapter, foundWithinMs)) {
    await run().catch(() => failures.push(title));
  }
  return failures;
}

describe('the contract of ticket adapters', () => {
  it('is passed by an adapter that keeps it', async () => {
    expect(await failuresOf(AcmeDeskAdapter)).toEqual([]);
  });

  it.each([
    ['that changes tickets', UpdatingDeskAdapter],
    ['that reopens every ticket, on a platform where no ticket is declined', updates.WithoutFinalStatus],
    ['that only resolves and reopens tickets, and has no status', ResolvingDeskAdapter],
    ['whose platform gives moved tickets another number', moving.MovingDesk],
    ['that reads all pages of a search', PagedDesk],
    ['whose platform sends several signatures', signing.TogetherDesk],
    ['whose platform creates one ticket for a key', IdempotentDesk],
    ['whose platform signs its reports', signing.SigningDesk],
    ['whose platform sends a secret in a header', signing.SecretDesk],
    ['whose platform reads lists', bodies.ListDesk],
    ['whose platform reads its token in bodies', bodies.BodyKeyDesk],
    ['that quotes answers that repeat its token', bodies.Quoting],
    ['whose platform refuses with status 200', bodies.RefusingDesk],
    ['whose platform reports its rate limit with status 400', LimitedDeskAdapter],
    ['that changes tickets on a platform with such a rate limit', limits.LimitedUpdatingDesk],
    ['with a setting that is an object', forms.ObjectSetting],
    ['whose platform shows HTML', texts.HtmlDesk],
    ['whose platform shows Markdown', texts.MarkdownDesk],
  ])('is passed by an adapter %s', async (_what, Sound) => {
    expect(await failuresOf(Sound)).toEqual([]);
  });

  it.each([
    ['cannot search', modest.Unsearchable],
    ['has no webhooks and no status', modest.Silent],
  ])('is passed by an adapter whose platform %s, if it declares that', async (_what, Modest) => {
    expect(await failuresOf(Modest)).toEqual([]);
  });

  it('waits for a delayed search, as long as the test platform allows', async () => {
    expect(await failuresOf(modest.Lagging, 2_000)).toEqual([]);
    expect(await failuresOf(modest.Lagging)).toContain('finds by key the ticket that it created, and no other');
  });

  it.each(BROKEN)('is failed by an adapter that %s', async (_what, Broken, titles) => {
    const failures = await failuresOf(Broken);
    if (typeof titles === 'string') expect(failures).toContain(titles);
    else expect(failures).toEqual(titles);
  });

  it.each([
    ['Acme Desk', AcmeDeskAdapter, ['declares only changes that it makes', SIGNED]],
    ['an adapter that changes tickets', UpdatingDeskAdapter, ['declares only changes that it makes', REPEATED, SIGNED]],
    ['an adapter without status and reports', modest.Silent, [NOT_GONE, 'reads the platform’s own reports']],
    ['an adapter that cannot search', modest.Unsearchable, [NO_WORD, NO_ANSWER, FRAGMENT]],
  ])('names the rules that do not apply to %s', async (_what, Sound, titles) => {
    const skipped = new Map<string, string>();
    for (const { title, run } of contractOf(Sound)) await run({ skip: reason => skipped.set(title, reason) });
    expect([...skipped.keys()]).toEqual(expect.arrayContaining(titles));
    expect([...skipped.keys()]).not.toContain('finds by key the ticket that it created, and no other');
    expect(skipped.get(SIGNED)).toBe('the adapter has no `isSigned`');
  });

  it('does not skip a rule that it checked', async () => {
    const skip = jest.fn();
    for (const { title, run } of contractOf(signing.SigningDesk)) if (title === SIGNED) await run({ skip });
    expect(skip).not.toHaveBeenCalled();
  });

  it('gives test runners functions without required parameters, to which Jest passes no callback', () => {
    expect(contractOf(AcmeDeskAdapter).map(({ run }) => run.length)).toEqual(contractOf(AcmeDeskAdapter).map(() => 0));
  });

  it('contains only rules that at least one of these adapters breaks', async () => {
    const broken = new Set(BROKEN.flatMap(([, , titles]) => titles));
    const titles = itsmAdapterContract(() => acmeDeskGround()).map(({ title }) => title);
    expect(titles.filter(title => !broken.has(title))).toEqual([]);
  });
});
