import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../data/use-api.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { PolicyForm, type Content } from './policy-form.tsx';

/** Sheet to edit a policy. */
export function EditPolicySheet() {
  const { id = '' } = useParams({ strict: false });
  return <Edit key={id} id={id} />;
}

function Edit({ id }: { id: string }) {
  const [content, setContent] = useState<Content>();
  const policy = useApi('getPolicy', { id }, { enabled: content === undefined });
  // Reads the stored version of the policy. In it, a default severity is still null, and must stay null.
  const version = useApi(
    'getPolicyVersion',
    { id, version: policy.data?.version ?? 1 },
    { enabled: policy.data !== undefined && content === undefined },
  );
  // The policy is read only once, so that changes that others make meanwhile do not overwrite the input.
  if (content === undefined && version.data) setContent(version.data.content);
  if (content) return <PolicyForm id={id} content={content} />;
  const error = policy.error ?? version.error;
  return (
    <Sheet wide kind="Edit policy" over={`/policies/${id}`} title="Policy">
      {error ? (
        <Failure error={error} onRetry={() => void (policy.error ? policy : version).refetch()} />
      ) : (
        <Skeleton lines={6} />
      )}
    </Sheet>
  );
}
