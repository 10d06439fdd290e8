import { PageLink } from './page-link.tsx';

/** Shows that the list is filtered by one person or policy, with a link to that person or policy. */
export function Narrowed({ userId, policyId }: { userId: string | undefined; policyId: string | undefined }) {
  return (
    <>
      {userId !== undefined && (
        <span>
          Of{' '}
          <PageLink to={`/users/${userId}`} className="link">
            one user
          </PageLink>
        </span>
      )}
      {policyId !== undefined && (
        <span>
          Of{' '}
          <PageLink to={`/policies/${policyId}`} className="link">
            one policy
          </PageLink>
        </span>
      )}
    </>
  );
}
