// Views of one page. Each has an address, so a tab is a link.
import { Link } from 'react-router';

export interface Tab {
  readonly to: string;
  readonly label: string;
  readonly isOpen: boolean;
}

export const Tabs = ({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) => (
  <nav aria-label={label} className="tabs">
    {tabs.map(({ to, label: name, isOpen }) => (
      <Link key={to} to={to} aria-current={isOpen ? 'page' : undefined}>
        {name}
      </Link>
    ))}
  </nav>
);
