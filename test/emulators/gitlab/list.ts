import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { mistaken } from './conditions.js';
import type { GitLabIssue, GitLabIssues } from './issues.js';

const PER_PAGE = 20;
const PER_PAGE_MAX = 100;

/**
 * `GET /projects/:id/issues`: an issue must have all the requested labels. `search` looks into titles and descriptions.
 * The newest come first (https://docs.gitlab.com/api/issues/, "List project issues"). Pages have 20 entries, at most
 * 100, and headers with the next page (https://docs.gitlab.com/api/rest/, "Pagination").
 */
export function listIssues(
  { searchParams }: URL,
  visible: readonly GitLabIssue[],
  issues: GitLabIssues,
): PlatformAnswer {
  const state = searchParams.get('state') ?? 'all';
  if (!['opened', 'closed', 'all'].includes(state)) return mistaken(400, 'state does not have a valid value');
  const page = numberIn(searchParams, 'page', 1);
  const perPage = numberIn(searchParams, 'per_page', PER_PAGE);
  if (page === undefined) return mistaken(400, 'page is invalid');
  if (perPage === undefined) return mistaken(400, 'per_page is invalid');
  const labels = labelTest(searchParams.get('labels'));
  const iids = searchParams.getAll('iids[]');
  const words = searchParams.get('search')?.toLowerCase() ?? '';
  const found = visible
    .filter(issue => state === 'all' || issue.state === state)
    .filter(issue => labels(issue.labels))
    .filter(({ iid }) => iids.length === 0 || iids.includes(String(iid)))
    .filter(({ title, description }) => `${title}\n${description ?? ''}`.toLowerCase().includes(words))
    .toSorted((a, b) => b.id - a.id);
  const size = Math.min(perPage, PER_PAGE_MAX);
  const pages = Math.max(1, Math.ceil(found.length / size));
  return {
    status: 200,
    json: found.slice((page - 1) * size, page * size).map(issue => issues.show(issue)),
    headers: {
      ...{ 'x-page': String(page), 'x-per-page': String(size), 'x-total': String(found.length) },
      ...{ 'x-total-pages': String(pages), 'x-next-page': page < pages ? String(page + 1) : '' },
      'x-prev-page': page > 1 ? String(page - 1) : '',
    },
  };
}

/** `None` and `Any` are keywords. Comparisons of labels are case-sensitive. */
function labelTest(asked: string | null): (labels: readonly string[]) => boolean {
  if (asked === null || asked === '') return () => true;
  if (asked.toLowerCase() === 'none') return labels => labels.length === 0;
  if (asked.toLowerCase() === 'any') return labels => labels.length > 0;
  const wanted = asked.split(',').map(each => each.trim());
  return labels => wanted.every(each => labels.includes(each));
}

function numberIn(params: URLSearchParams, name: string, otherwise: number): number | undefined {
  const value = Number(params.get(name) ?? otherwise);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
