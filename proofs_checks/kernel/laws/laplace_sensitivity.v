(* The exact l1 sensitivity of the upper triangle of the second-moment matrix, for every length d of a record, and the
   guarantee of Laplace perturbation as it is released: integer records, discrete noise of the least scale.
   The proof cuts vv' - ww' into four blocks, by which of v_i^2 and w_i^2 is larger, and needs Cauchy-Schwarz alone. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise second_moment discrete_laplace.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section numbers.
Variable R : realType.
Implicit Types a b c X Y Z x : R.

Lemma le_of_squares a b : 0 <= b -> a ^+ 2 <= b ^+ 2 -> a <= b.
Proof.
move=> b0 ab; have [a0|/ltW a0] := leP a 0; first exact: le_trans a0 b0.
by rewrite -(@ler_pexpn2r _ 2) ?nnegrE.
Qed.

Lemma scaled_product a b X Y : b * a ^+ 2 = 1 -> b * ((a * X) * (a * Y)) = X * Y.
Proof. by move=> e; rewrite -[RHS]mul1r -e; ring. Qed.

Lemma two_parts a b X Y : a * X - b * Y = b * (X - Y) + (a - b) * X. Proof. by ring. Qed.

Lemma weighted_sum a b c X Y Z : X ^+ 2 + Y ^+ 2 + Z ^+ 2 *+ 2 <= 2%:R ->
  (a * X + b * Y + c * Z *+ 2) ^+ 2 <= (a ^+ 2 + b ^+ 2 + c ^+ 2 *+ 2) * 2%:R.
Proof.
move=> h; apply: (@le_trans _ _ ((a ^+ 2 + b ^+ 2 + c ^+ 2 *+ 2) * (X ^+ 2 + Y ^+ 2 + Z ^+ 2 *+ 2))).
  rewrite -subr_ge0.
  have -> : (a ^+ 2 + b ^+ 2 + c ^+ 2 *+ 2) * (X ^+ 2 + Y ^+ 2 + Z ^+ 2 *+ 2) - (a * X + b * Y + c * Z *+ 2) ^+ 2 =
    (a * Y - b * X) ^+ 2 + (a * Z - c * X) ^+ 2 *+ 2 + (b * Z - c * Y) ^+ 2 *+ 2 by ring.
  by rewrite !addr_ge0 ?mulrn_wge0 ?sqr_ge0.
by apply: ler_wpmul2l => //; rewrite !addr_ge0 ?mulrn_wge0 ?sqr_ge0.
Qed.

(* four times the square of the sensitivity, where v is the larger one at p places and w at q places *)
Definition four_squares (d : nat) : R := d.+2%:R ^+ 2 + d%:R ^+ 2 - (odd d)%:R.

Lemma four_squares_ge (p q : nat) a b c : c ^+ 2 = (p * q)%:R ->
  [\/ [/\ (q.+2 <= p)%N, a = p%:R & b = q.+2%:R], [/\ (p.+2 <= q)%N, a = p.+2%:R & b = q%:R] |
      [/\ (p <= q.+1)%N, (q <= p.+1)%N, a = (p + q).+2%:R / 2%:R & b = (p + q).+2%:R / 2%:R]] ->
  (a ^+ 2 + b ^+ 2 + c ^+ 2 *+ 2) * 2%:R <= four_squares (p + q).
Proof.
have odd1 (n : nat) : (odd n)%:R <= 1 :> R by case: (odd n); rewrite ?lexx ?ler01.
have far (m n : nat) (s : R) : s ^+ 2 = (m * n)%:R -> (n.+2 <= m)%N ->
    (m%:R ^+ 2 + n.+2%:R ^+ 2 + s ^+ 2 *+ 2) * 2%:R <= four_squares (m + n).
  move=> -> nm; rewrite -(subnKC nm) /four_squares -subr_ge0.
  set k := (m - n.+2)%N; set o := odd _; rewrite -!(addn2 n) -!(addn2 (_ + _)%N) !natrM !natrD.
  set x : R := n%:R; set y : R := k%:R.
  have -> : (x + 2%:R + y + x + 2%:R) ^+ 2 + (x + 2%:R + y + x) ^+ 2 - o%:R -
    ((x + 2%:R + y) ^+ 2 + (x + 2%:R) ^+ 2 + ((x + 2%:R + y) * x) *+ 2) * 2%:R = y *+ 4 + 3%:R + (1 - o%:R) by ring.
  apply: addr_ge0; last by rewrite subr_ge0; exact: odd1.
  by apply: addr_ge0; [rewrite mulrn_wge0 // ler0n | rewrite ler0n].
move=> cc [[qp -> ->]|[pq -> ->]|[pq qp -> ->]]; first exact: far.
  by rewrite addrAC [_ ^+ 2 + _ *+ 2 + _]addrAC [X in (X + _) * _]addrC addnC; apply: far => //; rewrite mulnC.
rewrite cc /four_squares.
have -> : (((p + q).+2%:R / 2%:R) ^+ 2 + ((p + q).+2%:R / 2%:R) ^+ 2 + (p * q)%:R *+ 2) * 2%:R =
    (p + q).+2%:R ^+ 2 + (p * q)%:R *+ 4 :> R by field.
rewrite -addrA ler_add2l ler_subr_addr natrM [(p + q)%:R]natrD.
have [->|ne] := eqVneq p q.
  by rewrite addnn odd_double addr0 le_eqVlt; apply/orP; left; apply/eqP; ring.
have one (n : nat) : n.+1%:R = n%:R + 1 :> R by rewrite -addn1 natrD.
have {ne pq qp} [->|->] : p = q.+1 \/ q = p.+1.
  by case: (ltngtP p q) ne pq qp => // h _ a' b'; [right|left]; apply/eqP; rewrite eqn_leq; apply/andP.
- by rewrite addSn addnn /= odd_double /= one le_eqVlt; apply/orP; left; apply/eqP; ring.
- by rewrite addnS addnn /= odd_double /= one le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

Lemma blocks_together (p q : nat) c X Y Z x : 0 <= c -> c ^+ 2 = (p * q)%:R -> 0 <= X -> 0 <= Y -> 0 <= Z ->
  0 <= x -> x <= X -> x <= Y -> X ^+ 2 + Y ^+ 2 + Z ^+ 2 *+ 2 <= 2%:R ->
  (p%:R * X + q%:R * Y + c * Z *+ 2 + x *+ 2) ^+ 2 <= four_squares (p + q).
Proof.
move=> c0 cc X0 Y0 Z0 x0 xX xY total.
have enough a b : p%:R * X + q%:R * Y + x *+ 2 <= a * X + b * Y ->
    (a ^+ 2 + b ^+ 2 + c ^+ 2 *+ 2) * 2%:R <= four_squares (p + q) ->
    (p%:R * X + q%:R * Y + c * Z *+ 2 + x *+ 2) ^+ 2 <= four_squares (p + q).
  move=> le1 le2; apply: le_trans le2; apply: le_trans (weighted_sum a b c total).
  rewrite ler_pexpn2r ?nnegrE //; first by rewrite addrAC ler_add2r.
    by rewrite !addr_ge0 ?mulrn_wge0 ?mulr_ge0.
  rewrite addr_ge0 ?mulrn_wge0 ?mulr_ge0 //; apply: le_trans le1.
  by rewrite !addr_ge0 ?mulrn_wge0 ?mulr_ge0.
have [qp|pq] := leqP q.+2 p.
  apply: enough (four_squares_ge cc (Or31 _ _ (And3 qp erefl erefl))).
  by rewrite -addrA ler_add2l -(addn2 q) natrD mulrDl ler_add2l mulr_natl ler_muln2r xY.
have [pq2|qp2] := leqP p.+2 q.
  apply: enough (four_squares_ge cc (Or32 _ _ (And3 pq2 erefl erefl))).
  by rewrite addrAC ler_add2r -(addn2 p) natrD mulrDl ler_add2l mulr_natl ler_muln2r xX.
apply: enough (four_squares_ge cc (Or33 _ _ (And4 pq qp2 erefl erefl))).
have e : (p + q).+2%:R / 2%:R * X + (p + q).+2%:R / 2%:R * Y - (p%:R * X + q%:R * Y + x *+ 2) =
    (X - x) + (Y - x) - (p%:R - q%:R) / 2%:R * (X - Y) by rewrite -(addn2 (p + q)) !natrD; field.
rewrite -subr_ge0 e; have h0 : 0 <= 2%:R^-1 :> R by rewrite invr_ge0.
have [pE|qE|->] := ltngtP p q.
- have -> : q = p.+1 by apply/eqP; rewrite eqn_leq -ltnS qp2 pE.
  have -> : X - x + (Y - x) - (p%:R - p.+1%:R) / 2%:R * (X - Y) = (X - x) * (1 + 2%:R^-1) + (Y - x) / 2%:R.
    by rewrite -addn1 natrD; field.
  by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 ?addr_ge0.
- have -> : p = q.+1 by apply/eqP; rewrite eqn_leq -ltnS pq qE.
  have -> : X - x + (Y - x) - (q.+1%:R - q%:R) / 2%:R * (X - Y) = (X - x) / 2%:R + (Y - x) * (1 + 2%:R^-1).
    by rewrite -addn1 natrD; field.
  by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 ?addr_ge0.
- by rewrite subrr mul0r mul0r subr0 addr_ge0 ?subr_ge0.
Qed.
End numbers.

Section blocks.
Variables (R : realType) (d : nat).
Implicit Types (v w : 'rV[R]_d) (P Q : pred 'I_d).

Definition change v w (i j : 'I_d) : R := v 0 i * v 0 j - w 0 i * w 0 j.
Definition block P Q v w : R := \sum_(i | P i) \sum_(j | Q j) change v w i j ^+ 2.
Definition block_l1 P Q v w : R := \sum_(i | P i) \sum_(j | Q j) `|change v w i j|.

Lemma changeC v w i j : change v w i j = change v w j i.
Proof. by rewrite /change mulrC [w 0 i * _]mulrC. Qed.

Lemma square_of_sum P (x : 'I_d -> R) : (\sum_(i | P i) x i) ^+ 2 <= #|P|%:R * \sum_(i | P i) x i ^+ 2.
Proof.
have : 0 <= \sum_(i | P i) \sum_(j | P j) (x i - x j) ^+ 2.
  by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0.
set S := \sum_(i | P i) x i; set Q := \sum_(i | P i) x i ^+ 2.
have -> : \sum_(i | P i) \sum_(j | P j) (x i - x j) ^+ 2 = (#|P|%:R * Q - S ^+ 2) *+ 2.
  have e i : \sum_(j | P j) (x i - x j) ^+ 2 = x i ^+ 2 *+ #|P| - x i * S *+ 2 + Q.
    under eq_bigr do rewrite sqrrB.
    by rewrite big_split sumrB /= sumr_const sumrMnl -mulr_sumr.
  under eq_bigr do rewrite e.
  rewrite big_split sumrB /= !sumrMnl -!mulr_suml sumr_const -/S -/Q -![Q *+ _]mulr_natl.
  ring.
by rewrite pmulrn_lge0 // subr_ge0.
Qed.

Lemma block_l1_le P Q v w : block_l1 P Q v w ^+ 2 <= (#|P| * #|Q|)%:R * block P Q v w.
Proof.
apply: le_trans (square_of_sum _ _) _; rewrite natrM -mulrA ler_wpmul2l ?ler0n // /block mulr_sumr.
apply: ler_sum => i _; apply: le_trans (square_of_sum _ _) _; rewrite ler_wpmul2l ?ler0n //.
by apply: ler_sum => j _; rewrite real_normK ?num_real.
Qed.

(* a block has one eigenvalue of either sign at most, so that its trace is at most its norm *)
Lemma block_trace P v w : (\sum_(i | P i) change v w i i) ^+ 2 <= block P P v w.
Proof.
set a := \sum_(i | P i) v 0 i ^+ 2; set b := \sum_(i | P i) w 0 i ^+ 2; set c := \sum_(i | P i) v 0 i * w 0 i.
have -> : \sum_(i | P i) change v w i i = a - b by rewrite /a /b -sumrB; apply: eq_bigr => i _; rewrite /change !expr2.
have -> : block P P v w = a ^+ 2 + b ^+ 2 - c ^+ 2 *+ 2.
  rewrite !expr2 /block {1}/a {1}/b {1}/c !mulr_suml -sumrMnl -big_split -sumrB /=; apply: eq_bigr => i _.
  rewrite /a /b /c !mulr_sumr -sumrMnl -big_split -sumrB /=; apply: eq_bigr => j _.
  by rewrite /change; ring.
suff : c ^+ 2 <= a * b.
  rewrite -subr_ge0 => h; rewrite -subr_ge0.
  have -> : a ^+ 2 + b ^+ 2 - c ^+ 2 *+ 2 - (a - b) ^+ 2 = (a * b - c ^+ 2) *+ 2 by ring.
  by rewrite mulrn_wge0.
have : 0 <= \sum_(i | P i) \sum_(j | P j) (v 0 i * w 0 j - v 0 j * w 0 i) ^+ 2.
  by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0.
have -> : \sum_(i | P i) \sum_(j | P j) (v 0 i * w 0 j - v 0 j * w 0 i) ^+ 2 = (a * b - c ^+ 2) *+ 2.
  have -> : (a * b - c ^+ 2) *+ 2 = a * b + b * a - c * c *+ 2 by ring.
  rewrite {1}/a {2}/b {1}/c !mulr_suml -sumrMnl -big_split -sumrB /=; apply: eq_bigr => i _.
  rewrite /a /b /c !mulr_sumr -sumrMnl -big_split -sumrB /=; apply: eq_bigr => j _.
  ring.
by rewrite pmulrn_lge0 // subr_ge0.
Qed.

Definition triangle_change v w : R := \sum_(i < d) \sum_(j < d | (i <= j)%N) `|change v w i j|.

Lemma two_triangles v w :
  triangle_change v w *+ 2 = \sum_i \sum_j `|change v w i j| + \sum_i `|change v w i i|.
Proof.
have rows (i : 'I_d) : \sum_(j < d | (i <= j)%N) `|change v w i j| =
    `|change v w i i| + \sum_(j < d | (i < j)%N) `|change v w i j|.
  rewrite (bigD1 i) //=; congr (_ + _); apply: eq_bigl => j.
  by rewrite ltn_neqAle andbC [in RHS]eq_sym -val_eqE.
have below : \sum_(i < d) \sum_(j < d | (j < i)%N) `|change v w i j| =
    \sum_(i < d) \sum_(j < d | (i < j)%N) `|change v w i j|.
  rewrite (exchange_big_dep predT) //=; apply: eq_bigr => j _; apply: eq_bigr => i _.
  by rewrite changeC.
have all_of (i : 'I_d) : \sum_j `|change v w i j| =
    \sum_(j < d | (i <= j)%N) `|change v w i j| + \sum_(j < d | (j < i)%N) `|change v w i j|.
  rewrite (bigID (fun j : 'I_d => (i <= j)%N)) /=; congr (_ + _).
  by apply: eq_bigl => j; rewrite ltnNge.
under [in RHS]eq_bigr do rewrite all_of.
rewrite big_split /= below -/(triangle_change v w) -addrA mulr2n; congr (_ + _).
by rewrite [LHS](eq_bigr _ (fun i _ => rows i)) big_split /= addrC.
Qed.

Lemma triangle_changeE v w : l1_norm (triangle (outer v - outer w)) = triangle_change v w.
Proof.
rewrite /l1_norm; under eq_bigr do rewrite !mxE !big_ord1 !mxE.
pose F (p : 'I_d * 'I_d) := `|change v w p.1 p.2|.
rewrite -(reindex (@enum_val [finType of upper d] predT) (P := predT) (F := fun u => F (sval u))); last first.
  by apply: onW_bij; exact: enum_val_bij.
rewrite -(big_map sval predT F) /triangle_change pair_big_dep /= -[RHS]big_filter.
apply: perm_big; apply: uniq_perm; rewrite ?filter_uniq ?index_enum_uniq //.
  by rewrite map_inj_uniq ?index_enum_uniq//; exact: val_inj.
move=> p; rewrite mem_filter mem_index_enum andbT; apply/mapP/idP => [[u _ ->]|le]; first exact: (svalP u).
by exists (exist _ p le) => //; rewrite mem_index_enum.
Qed.

(* two unit vectors: four times the square of the change *)
Lemma unit_records_l1 v w : squared_norm v = 1 -> squared_norm w = 1 ->
  (triangle_change v w *+ 2) ^+ 2 <= four_squares R d.
Proof.
move=> v1 w1; pose I : pred 'I_d := fun i => w 0 i ^+ 2 <= v 0 i ^+ 2; pose J : pred 'I_d := predC I.
have block_ge0 P Q : 0 <= block P Q v w by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0.
pose X := Num.sqrt (block I I v w); pose Y := Num.sqrt (block J J v w); pose Z := Num.sqrt (block I J v w).
pose c : R := Num.sqrt (#|I| * #|J|)%:R; pose x := \sum_(i | I i) change v w i i.
have xJ : x = - \sum_(i | J i) change v w i i.
  apply/eqP; rewrite -addr_eq0.
  have <- : \sum_i change v w i i = x + \sum_(i | J i) change v w i i by rewrite (bigID I).
  by rewrite sumrB -[X in _ == X](subrr 1) -{1}v1 -w1; apply/eqP; congr (_ - _); apply: eq_bigr => i _; rewrite expr2.
have x0 : 0 <= x by apply: sumr_ge0 => i Ii; rewrite /change subr_ge0 -!expr2.
have xX : x <= X by apply: le_of_squares; rewrite ?sqrtr_ge0 // sqr_sqrtr //; exact: block_trace.
have xY : x <= Y by apply: le_of_squares; rewrite ?sqrtr_ge0 // sqr_sqrtr // xJ sqrrN; exact: block_trace.
have total : X ^+ 2 + Y ^+ 2 + Z ^+ 2 *+ 2 <= 2%:R.
  rewrite !sqr_sqrtr //; apply: (@le_trans _ _ (frobenius_squared (outer v - outer w))); last first.
    by rewrite frobenius_difference v1 w1 !expr1n ler_subl_addr ler_addl mulrn_wge0 ?sqr_ge0.
  have -> : frobenius_squared (outer v - outer w) = \sum_i \sum_j change v w i j ^+ 2.
    by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !mxE !big_ord1 !mxE.
  rewrite (bigID I) /=; under eq_bigr do rewrite (bigID I) /=.
  under [X in _ <= _ + X]eq_bigr do rewrite (bigID I) /=.
  rewrite !big_split /= -/(block I I v w) -/(block I J v w) -/(block J J v w).
  have -> : \sum_(i | ~~ I i) \sum_(j | I j) change v w i j ^+ 2 = block I J v w.
    rewrite exchange_big /=; apply: eq_bigr => i _; apply: eq_bigr => j _; by rewrite changeC.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
have part P Q : block_l1 P Q v w <= Num.sqrt (#|P| * #|Q|)%:R * Num.sqrt (block P Q v w).
  apply: le_of_squares; first by rewrite mulr_ge0 ?sqrtr_ge0.
  by rewrite exprMn !sqr_sqrtr ?ler0n //; exact: block_l1_le.
have same (n : nat) : Num.sqrt (n * n)%:R = n%:R :> R by rewrite natrM -expr2 sqrtr_sqr ger0_norm ?ler0n.
have pq : (#|I| + #|J|)%N = d by rewrite cardC card_ord.
rewrite -[in four_squares R d]pq.
apply: le_trans (blocks_together (sqrtr_ge0 _ : 0 <= c) _ (sqrtr_ge0 _ : 0 <= X) (sqrtr_ge0 _ : 0 <= Y)
  (sqrtr_ge0 _ : 0 <= Z) x0 xX xY total); last by rewrite sqr_sqrtr ?ler0n.
have all_ge0 : 0 <= triangle_change v w *+ 2.
  by rewrite mulrn_wge0 //; apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: normr_ge0.
have bound : triangle_change v w *+ 2 <= #|I|%:R * X + #|J|%:R * Y + c * Z *+ 2 + x *+ 2.
  rewrite two_triangles; apply: ler_add; last first.
    rewrite (bigID I) /= mulr2n; apply: ler_add.
      by apply: ler_sum => i Ii; rewrite ger0_norm // /change subr_ge0 -!expr2.
    rewrite xJ -sumrN; apply: ler_sum => i Ji; rewrite ler0_norm // /change subr_le0 -!expr2.
    by move: Ji; rewrite -ltNge => /ltW.
  rewrite (bigID I) /=; under eq_bigr do rewrite (bigID I) /=.
  under [X in _ + X <= _]eq_bigr do rewrite (bigID I) /=.
  rewrite !big_split /=.
  have -> : \sum_(i | ~~ I i) \sum_(j | I j) `|change v w i j| = block_l1 I J v w.
    rewrite exchange_big /=; apply: eq_bigr => i _; apply: eq_bigr => j _; by rewrite changeC.
  rewrite -/(block_l1 I I v w) -/(block_l1 I J v w) -/(block_l1 J J v w).
  have := part I I; have := part J J; have := part I J; rewrite !same -/c -/X -/Y -/Z => zz yy xx.
  set a := block_l1 I I v w; set b := block_l1 J J v w; set e := block_l1 I J v w.
  have -> : a + e + (e + b) = a + b + e *+ 2 by ring.
  by rewrite ler_add ?ler_muln2r ?ler_add.
by rewrite ler_pexpn2r ?nnegrE // (le_trans all_ge0).
Qed.

Lemma triangle_changeC v w : triangle_change v w = triangle_change w v.
Proof. by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite distrC. Qed.

Lemma triangle_change_le a b v w (f g : 'I_d -> 'I_d -> R) : 0 <= a -> 0 <= b ->
  (forall i j, change v w i j = a * f i j + b * g i j) ->
  triangle_change v w <= a * (\sum_(i < d) \sum_(j < d | (i <= j)%N) `|f i j|) +
                         b * (\sum_(i < d) \sum_(j < d | (i <= j)%N) `|g i j|).
Proof.
move=> a0 b0 e; rewrite !mulr_sumr -big_split; apply: ler_sum => i _.
rewrite !mulr_sumr -big_split; apply: ler_sum => j _.
by rewrite e (le_trans (ler_norm_add _ _)) // !normrM (ger0_norm a0) (ger0_norm b0).
Qed.

(* one record that appears or disappears *)
Lemma record_l1 v : triangle_change v 0 <= d.+1%:R / 2%:R * squared_norm v.
Proof.
rewrite mulrAC ler_pdivl_mulr ?ltr0n // mulr_natr two_triangles -natr1 mulrDl mul1r.
have e i j : change v 0 i j = outer v i j by rewrite /change outerE !mxE mulr0 subr0.
apply: ler_add.
  by apply: le_trans (l1_outer v); apply: ler_sum => i _; apply: ler_sum => j _; rewrite e.
by apply: ler_sum => i _; rewrite e outerE -expr2 ger0_norm ?sqr_ge0.
Qed.

Definition triangle_l1 : R := if d == 1%N then 1 else Num.sqrt (four_squares R d) / 2%:R.

Lemma four_squares_le : d != 1%N -> d.+1%:R / 2%:R <= triangle_l1 :> R.
Proof.
move=> /negbTE d1; rewrite /triangle_l1 d1 ler_wpmul2r ?invr_ge0 //.
apply: le_of_squares; first exact: sqrtr_ge0.
have h : d.+1%:R ^+ 2 <= four_squares R d.
  rewrite /four_squares -addrA ler_paddr //.
    by rewrite subr_ge0 -natrX ler_nat; case: (d) => [|n] //; case: odd.
  by rewrite -!natrX ler_nat leq_sqr.
by rewrite sqr_sqrtr // (le_trans _ h) // sqr_ge0.
Qed.

Lemma records_l1_of_many (s : R) v w : d != 1%N -> squared_norm v <= s -> squared_norm w <= s ->
  triangle_change v w <= triangle_l1 * s.
Proof.
move=> d1; wlog: v w / squared_norm w <= squared_norm v => [h vs ws|wv vs _].
  have [wv|/ltW wv] := leP (squared_norm w) (squared_norm v); first exact: h.
  by rewrite triangle_changeC; exact: h.
apply: (@le_trans _ _ (triangle_l1 * squared_norm v)); last first.
  by apply: ler_wpmul2l vs; rewrite (le_trans _ (four_squares_le d1)) // divr_ge0.
have zero (u : 'rV[R]_d) : squared_norm u = 0 -> u = 0.
  move=> u0; apply/rowP => i; rewrite mxE; apply/eqP; rewrite -sqrf_eq0.
  by move/eqP: u0; rewrite psumr_eq0 => [/allP /(_ i (mem_index_enum _)) //|j _]; exact: sqr_ge0.
have [w0|w0] := eqVneq (squared_norm w) 0.
  rewrite (zero w w0); apply: le_trans (record_l1 v) _; rewrite ler_wpmul2r ?squared_norm_ge0 //.
  exact: four_squares_le.
have wp : 0 < squared_norm w by rewrite lt_neqAle eq_sym w0 squared_norm_ge0.
have vp : 0 < squared_norm v by exact: lt_le_trans wv.
pose unit (u : 'rV[R]_d) := (Num.sqrt (squared_norm u))^-1 *: u.
have unit1 u : 0 < squared_norm u -> squared_norm (unit u) = 1.
  by move=> up; rewrite squared_normZ exprVn sqr_sqrtr ?squared_norm_ge0 // mulVf // gt_eqF.
have unitE u i j : 0 < squared_norm u -> squared_norm u * (unit u 0 i * unit u 0 j) = u 0 i * u 0 j.
  move=> up; have c1 : squared_norm u * (Num.sqrt (squared_norm u))^-1 ^+ 2 = 1.
    by rewrite exprVn sqr_sqrtr ?squared_norm_ge0 // divff // gt_eqF.
  by rewrite !mxE; exact: scaled_product.
apply: le_trans (triangle_change_le (a := squared_norm w) (b := squared_norm v - squared_norm w)
  (f := change (unit v) (unit w)) (g := change (unit v) 0) _ _ _) _.
- exact: squared_norm_ge0.
- by rewrite subr_ge0.
- move=> i j; rewrite /change -(unitE v i j vp) -(unitE w i j wp) ![(0 : 'rV_d) _ _]mxE mulr0 subr0.
  exact: two_parts.
rewrite -!/(triangle_change _ _).
have -> : triangle_l1 * squared_norm v = squared_norm w * triangle_l1 + (squared_norm v - squared_norm w) * triangle_l1.
  by ring.
apply: ler_add; apply: ler_wpmul2l; rewrite ?subr_ge0 ?squared_norm_ge0 //.
  rewrite /triangle_l1 (negbTE d1) ler_pdivl_mulr ?ltr0n // mulr_natr.
  have h := unit_records_l1 (unit1 v vp) (unit1 w wp).
  by apply: le_of_squares; rewrite ?sqrtr_ge0 // sqr_sqrtr // (le_trans _ h) // sqr_ge0.
by apply: le_trans (record_l1 _) _; rewrite unit1 // mulr1; exact: four_squares_le.
Qed.
End blocks.

(* the sensitivity for records of squared norm at most s *)
Lemma records_l1 (R : realType) (d : nat) (s : R) (v w : 'rV[R]_d) : squared_norm v <= s -> squared_norm w <= s ->
  triangle_change v w <= triangle_l1 R d * s.
Proof.
have [d1|] := eqVneq d 1%N; last exact: records_l1_of_many.
subst d => vs ws; rewrite /triangle_l1 mul1r /triangle_change big_ord1 big_mkcond big_ord1 /= /change -!expr2.
have one (u : 'rV[R]_1) : u 0 ord0 ^+ 2 = squared_norm u by rewrite /squared_norm big_ord1.
rewrite !one ler_norml; apply/andP; split.
  by rewrite ler_subr_addr addrC ler_subl_addr (le_trans ws) // ler_addr squared_norm_ge0.
by rewrite ler_subl_addl (le_trans vs) // ler_addr squared_norm_ge0.
Qed.

(* what the library releases: records are integers (the coordinates truncated to a grid), and so is the noise *)
Section release.
Variables (R : realType) (d : nat).
Implicit Types X Y : seq 'rV[int]_d.

Definition real_records X : seq 'rV[R]_d := [seq map_mx intr x | x <- X].
Definition integer_triangle X (k : 'I_(triangle_size d)) : int :=
  \sum_(x <- X) x 0 (sval (enum_val k)).1 * x 0 (sval (enum_val k)).2.

Lemma integer_triangleE X k : (integer_triangle X k)%:~R = triangle (moment (real_records X)) 0 k :> R.
Proof.
rewrite mxE summxE big_map rmorph_sum; apply: eq_bigr => x _.
by rewrite outerE !mxE rmorphM.
Qed.

Lemma integer_distance X Y : (l1_distance (integer_triangle X) (integer_triangle Y))%:R =
  l1_norm (triangle (moment (real_records X)) - triangle (moment (real_records Y))) :> R.
Proof.
rewrite /l1_distance /l1_norm natr_sum; apply: eq_bigr => k _.
by rewrite natr_absz intr_norm rmorphB /= !integer_triangleE !mxE.
Qed.

(* discrete Laplace noise of scale t on the upper triangle of the sum of the outer products *)
Definition released (t : R) X (S : set ('I_(triangle_size d) -> int)) : \bar R :=
  noisy_integers (expR (- t^-1)) (integer_triangle X) S.

Lemma released_hides (t eps : R) X Y : 0 < t ->
  l1_norm (triangle (moment (real_records X)) - triangle (moment (real_records Y))) <= eps * t ->
  forall S, (released t X S <= (expR eps)%:E * released t Y S)%E.
Proof.
move=> t0 xy S; have q1 : expR (- t^-1) < 1 :> R by rewrite -expR0 ltr_expR oppr_lt0 invr_gt0.
pose pair (a b : 'I_(triangle_size d) -> int) := a = integer_triangle X /\ b = integer_triangle Y.
apply: (@discrete_laplace_is_private R (expR (- t^-1)) (expR_gt0 _) q1 _ _ pair id
  (l1_distance (integer_triangle X) (integer_triangle Y)) eps _ _ _ _ (conj erefl erefl) S) => [a b [-> ->] //|].
set k := l1_distance _ _; have -> : expR (- t^-1) ^- k = expR (k%:R / t) :> R.
  elim: k => [|k IH]; first by rewrite expr0 invr1 mul0r expR0.
  by rewrite exprS invfM IH -expRN opprK -expRD -natr1 mulrDl mul1r addrC.
by rewrite ler_expR ler_pdivr_mulr // integer_distance.
Qed.

(* the tight scale of the library, for both relations; r bounds the norm of an integer record *)
Theorem laplace_release_is_private (r t eps : R) : 0 < t ->
  (triangle_l1 R d * r ^+ 2 <= eps * t -> forall X Y, replace_one r (real_records X) (real_records Y) ->
    forall S, (released t X S <= (expR eps)%:E * released t Y S)%E) /\
  (d.+1%:R / 2%:R * r ^+ 2 <= eps * t -> forall X Y, add_remove_one r (real_records X) (real_records Y) ->
    forall S, (released t X S <= (expR eps)%:E * released t Y S)%E).
Proof.
move=> t0; split=> scale X Y; move=> near; apply: released_hides => //; apply: le_trans scale.
  have [s [v [w [u [-> -> bX bY]]]]] := near; rewrite -triangleB moment_replaced triangle_changeE.
  by apply: records_l1; [apply: bX | apply: bY]; rewrite mem_cat mem_head orbT.
have one (s : seq 'rV[R]_d) v u : bounded r (s ++ v :: u) ->
    l1_norm (triangle (moment (s ++ v :: u)) - triangle (moment (s ++ u))) <= d.+1%:R / 2%:R * r ^+ 2 :> R.
  move=> b; have vr : squared_norm v <= r ^+ 2 by apply: b; rewrite mem_cat mem_head orbT.
  rewrite -triangleB moment_added; have -> : outer v = outer v - outer (0 : 'rV[R]_d) by rewrite /outer mulmx0 subr0.
  by rewrite triangle_changeE (le_trans (record_l1 v)) // ler_wpmul2l // divr_ge0.
have [s [v [u [[[-> ->]|[-> ->]] bX bY]]]] := near; first exact: one.
by rewrite /l1_norm (eq_bigr (fun k => `|(triangle (moment (s ++ v :: u)) - triangle (moment (s ++ u))) 0 k|));
  [exact: one | move=> k _; rewrite !mxE distrC].
Qed.
End release.
