import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { CornerDownLeft } from 'lucide-react';
import { useMemo, useState } from 'react';
import { opens, useMe } from '../data/scopes.ts';
import { PAGES } from './page-table.ts';
import { useFound, type Offer } from './use-found.ts';

/** Command palette: finds pages, people and ids, and opens them. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={next => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[min(38rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-surface shadow-popup outline-none">
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          {open && <Finder onClose={onClose} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const found = useFound(text);
  const offers = useMemo(() => {
    const needle = text.trim().toLowerCase();
    const pages = PAGES.filter(page => opens(me, page) && page.title.toLowerCase().includes(needle)).map(
      ({ path, title, icon, key }): Offer => ({
        id: path,
        group: 'Pages',
        name: title,
        detail: `g ${key}`,
        icon,
        to: `/${path}`,
      }),
    );
    return groupsOf([...pages, ...found]);
  }, [me, text, found]);
  const go = (offer: Offer): void => {
    onClose();
    void navigate({
      to: offer.to,
      search: ({ range }: Record<string, string>) => (range === undefined ? {} : { range }),
    });
  };
  return (
    <Autocomplete.Root
      inline
      open
      items={offers}
      filter={null}
      autoHighlight="always"
      value={text}
      onValueChange={(value, { reason }) => reason !== 'item-press' && setText(value)}
      itemToStringValue={({ name }: Offer) => name}
    >
      <Autocomplete.Input
        aria-label="Search pages, users and IDs"
        placeholder="Search pages, users, emails and IDs"
        className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-lead outline-none placeholder:text-muted"
      />
      <Autocomplete.Empty className="px-4 py-6 text-muted empty:p-0">No results.</Autocomplete.Empty>
      <Autocomplete.List className="overflow-y-auto py-1 outline-none data-empty:p-0">
        {({ value, items }: OfferGroup) => (
          <Autocomplete.Group key={value} items={items} className="pb-1">
            <Autocomplete.GroupLabel className="label px-4 pt-2 pb-1">{value}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(offer: Offer) => <OfferRow key={offer.id} offer={offer} onGo={go} />}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** Palette entries of one kind, in the format of the combobox. */
interface OfferGroup {
  value: string;
  items: readonly Offer[];
}

function groupsOf(offers: readonly Offer[]): OfferGroup[] {
  return [...Map.groupBy(offers, ({ group }) => group)].map(([value, items]) => ({ value, items }));
}

function OfferRow({ offer, onGo }: { offer: Offer; onGo: (offer: Offer) => void }) {
  const { name, detail, icon: Icon } = offer;
  return (
    <Autocomplete.Item
      value={offer}
      onClick={() => onGo(offer)}
      className="group flex min-h-9 cursor-default items-center gap-3 px-4 outline-none select-none data-highlighted:bg-wash"
    >
      {Icon && <Icon size={15} strokeWidth={1.75} aria-hidden className="shrink-0 text-muted" />}
      <span className="min-w-[50%] flex-1 truncate">{name}</span>
      {detail !== undefined && <span className="truncate text-small text-muted">{detail}</span>}
      <CornerDownLeft size={12} aria-hidden className="shrink-0 text-transparent group-data-highlighted:text-muted" />
    </Autocomplete.Item>
  );
}
