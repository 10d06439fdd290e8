import { UserRound, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useApi } from '../data/use-api.ts';
import { IconButton } from './button.tsx';
import { PersonName } from './person-name.tsx';

interface FilterPersonProps {
  /** Id of the chosen user; undefined for all. */
  id: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** Filters by one user, who is found by a part of the name or email. Enter takes the first one found. */
export function FilterPerson({ id, onChange }: FilterPersonProps) {
  const [text, setText] = useState('');
  const options = useId();
  const q = text.trim();
  const { data } = useApi('listUsers', { q, limit: 8 }, { enabled: id === undefined && q.length > 1, keep: true });
  const found = q.length > 1 ? (data?.items ?? []) : [];
  const choose = (id: string | undefined): void => {
    setText('');
    onChange(id);
  };
  if (id !== undefined)
    return (
      <span className="inline-flex h-8 max-w-72 items-center gap-1.5 rounded border border-accent bg-surface pl-2.5">
        <span className="text-muted">User</span>
        <span className="min-w-0 truncate font-medium">
          <PersonName id={id} />
        </span>
        <IconButton icon={X} label="Remove user filter" onClick={() => choose(undefined)} />
      </span>
    );
  return (
    <span className="relative w-44 max-w-full min-w-0 max-sm:w-auto max-sm:flex-[1_1_40%]">
      <UserRound
        size={14}
        strokeWidth={1.75}
        aria-hidden
        className="pointer-events-none absolute top-2.25 left-2.5 text-muted"
      />
      <input
        type="search"
        data-filter
        aria-label="User"
        placeholder="Any user"
        autoComplete="off"
        list={options}
        value={text}
        onChange={({ target: { value } }) => {
          const chosen = found.find(({ email }) => email === value);
          if (chosen) choose(chosen.id);
          else setText(value);
        }}
        onKeyDown={({ key }) => key === 'Enter' && found[0] && choose(found[0].id)}
        className="h-8 w-full rounded border border-line bg-surface pr-2 pl-8 placeholder:text-muted hover:border-control"
      />
      <datalist id={options}>
        {found.map(({ id, name, email }) => (
          <option key={id} value={email}>
            {name}
          </option>
        ))}
      </datalist>
    </span>
  );
}
