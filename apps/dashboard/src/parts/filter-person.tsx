import { UserRound, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useApi } from '../data/use-api.ts';
import { IconButton } from './button.tsx';
import { FilterInput } from './filter-input.tsx';
import { PersonName } from './person-name.tsx';

interface FilterPersonProps {
  /** Id of the selected user; undefined for all users. */
  id: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** Filter by one user. The person searches by a part of a name or e-mail address. Enter selects the first result. */
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
      <FilterInput
        icon={UserRound}
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
