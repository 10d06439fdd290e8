import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../data/use-api.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { PolicyForm, type Content } from './policy-form.tsx';

/** A policy that is changed. */
export function EditPolicySheet() {
  const { id = '' } = useParams({ strict: false });
  return <Edit key={id} id={id} />;
}

function Edit({ id }: { id: string }) {
  const [content, setContent] = useState<Content>();
  const policy = useApi('getPolicy', { id }, { enabled: content === undefined });
  // What was written: a severity that nobody chose is null there, and stays so.
  const version = useApi(
    'getPolicyVersion',
    { id, version: policy.data?.version ?? 1 },
    { enabled: policy.data !== undefined && content === undefined },
  );
  // Once: what others change meanwhile must not change what is being typed.
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
