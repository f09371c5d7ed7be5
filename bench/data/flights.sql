-- US domestic flights in the first days of 2001, sorted by departure.
CREATE TABLE flights (
    date         timestamp NOT NULL,   -- scheduled departure, to the minute
    delay        smallint  NOT NULL,   -- arrival delay in minutes, may be < 0
    distance     smallint  NOT NULL,   -- miles
    origin       text      NOT NULL,   -- code of the airport
    destination  text      NOT NULL
);
