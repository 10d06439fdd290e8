import { useParams } from '@tanstack/react-router';
import { useApi } from '../../data/use-api.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { LimitForm } from './limit-form.tsx';

/** Sheet to edit a limit. */
export function EditLimitSheet() {
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useApi('getLimit', { id });
  if (data) return <LimitForm key={id} limit={data} />;
  return (
    <Sheet kind="Edit limit" over={`/limits/${id}`} title="Limit">
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={5} />}
    </Sheet>
  );
}
