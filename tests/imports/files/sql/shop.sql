-- a shop, as an ORM writes it
CREATE TABLE public.customers (
    id bigint PRIMARY KEY,
    email character varying(255) NOT NULL UNIQUE,
    country char(2) REFERENCES countries (code),
    born date CHECK (born > DATE '1900-01-01'),
    name text NOT NULL CHECK (length(name) > 0),
    created_at timestamp NOT NULL DEFAULT now()
);

CREATE TABLE public.orders (
    id bigint NOT NULL,
    customer_id bigint NOT NULL REFERENCES customers (id),
    status character varying(20) DEFAULT 'new' NOT NULL,
    ordered_on date NOT NULL,
    shipped_on date,
    net numeric(10, 2) NOT NULL,
    tax numeric(10, 2),
    total numeric GENERATED ALWAYS AS (net + tax) STORED,
    coupon text CHECK (coupon ~ '^[A-Z0-9]{6,10}$'),
    "Ship To" text,
    CONSTRAINT orders_status_known CHECK (((status)::text = ANY ((ARRAY['new'::character varying, 'sent'::character varying, 'done'::character varying])::text[]))),
    CONSTRAINT ships_after_order CHECK (shipped_on >= ordered_on AND shipped_on <= ordered_on + INTERVAL '60 days'),
    CHECK (net >= 0 AND (tax IS NULL OR tax BETWEEN 0 AND net)),
    CHECK (lower(coupon) <> coupon),
    CHECK (ordered_on <= CURRENT_DATE),
    UNIQUE (customer_id, ordered_on, coupon)
);

ALTER TABLE ONLY public.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
ALTER TABLE public.orders ADD CONSTRAINT ship_to_given CHECK ("Ship To" IS NOT NULL OR shipped_on IS NULL);
CREATE UNIQUE INDEX one_open_order ON public.orders (customer_id) WHERE status = 'new';
CREATE UNIQUE INDEX lower_coupon ON public.orders (lower(coupon));
CREATE INDEX orders_status ON public.orders (status);
INSERT INTO public.orders (id) VALUES (1);
