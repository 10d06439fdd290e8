import { LimitForm } from './limit-form.tsx';

/** Sheet to create a limit. */
export function NewLimitSheet() {
  return <LimitForm />;
}
